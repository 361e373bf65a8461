// The one call of Facebook's fb303 base service that a Hive Metastore answers and hive_views asks: its version.

namespace py hive_views.metastore.thrift._bindings.fb303

service FacebookService {
  string getVersion()
}
