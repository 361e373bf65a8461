import java.util.Map;
import java.util.HashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.view.ViewCatalogTests;
import org.junit.jupiter.api.BeforeEach;

/**
 * Iceberg's tests of a view catalog, of a server that lets tables be read only: those that the tests make beside views
 * are made by Iceberg's catalog of the same Hive Metastore.
 */
public class ViewsBesideReadOnlyTables extends ViewCatalogTests<RESTCatalog> {
  private static final RESTCatalog CATALOG = new RESTCatalog();
  private static final HiveCatalog TABLES = new HiveCatalog();
  static {
    Map<String, String> views = new HashMap<>();
    views.put("uri", System.getProperty("uri"));
    if (System.getProperty("warehouse") != null) views.put("warehouse", System.getProperty("warehouse"));
    if (System.getProperty("token") != null) views.put("token", System.getProperty("token"));
    views.put("view-default.key1", "catalog-default-key1");
    views.put("view-default.key2", "catalog-default-key2");
    views.put("view-default.key3", "catalog-default-key3");
    views.put("view-override.key3", "catalog-override-key3");
    views.put("view-override.key4", "catalog-override-key4");
    CATALOG.setConf(new Configuration());
    CATALOG.initialize("rck_catalog", views);
    Configuration conf = new Configuration();
    conf.set("hive.metastore.uris", System.getProperty("metastore"));
    TABLES.setConf(conf);
    TABLES.initialize("tables", Map.of("uri", System.getProperty("metastore"), "warehouse", System.getProperty("tables")));
  }
  @BeforeEach void clean() {
    for (Namespace ns : CATALOG.listNamespaces()) {
      if (ns.toString().equals("default")) continue;
      TABLES.listTables(ns).forEach(t -> { if (TABLES.tableExists(t)) TABLES.dropTable(t, false); });
      CATALOG.listViews(ns).forEach(CATALOG::dropView);
      CATALOG.dropNamespace(ns);
    }
  }
  @Override protected RESTCatalog catalog() { return CATALOG; }
  @Override protected Catalog tableCatalog() { return TABLES; }
  @Override protected boolean requiresNamespaceCreate() { return true; }
  @Override protected boolean supportsServerSideRetry() { return true; }
}
