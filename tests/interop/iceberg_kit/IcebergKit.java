import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.view.ViewCatalogTests;
import org.junit.jupiter.api.AfterEach;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Iceberg's own tests of catalogs, for a server over REST that lets tables be read only: those that the tests make are
 * made by Iceberg's catalog of the same Hive Metastore.
 *
 * Janino compiles it, which knows neither generic types nor lambdas.
 */
public class IcebergKit {
  static RESTCatalog rest;
  static HiveCatalog tables;
  private static List foreign;

  /** All tests of views: by name, how each ended, and behind a line break why. */
  public Map testViews(String uri, String metastore, String warehouse) {
    connect(uri, metastore, warehouse);
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    request.selectors(java.util.Collections.singletonList(DiscoverySelectors.selectClass(Views.class)));
    return run(request);
  }

  /** Tests of namespaces, by their names. */
  public Map testNamespaces(String uri, String metastore, String warehouse, List names) {
    connect(uri, metastore, warehouse);
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    for (int i = 0; i < names.size(); i++) {
      String name = (String) names.get(i);
      request.selectors(java.util.Collections.singletonList(DiscoverySelectors.selectMethod(Namespaces.class, name)));
    }
    return run(request);
  }

  private static Map run(LauncherDiscoveryRequestBuilder request) {
    Outcomes outcomes = new Outcomes();
    Launcher launcher = LauncherFactory.create();
    launcher.registerTestExecutionListeners(new TestExecutionListener[] {outcomes});
    launcher.execute(request.build(), new TestExecutionListener[0]);
    return outcomes.byName;
  }

  private static void connect(String uri, String metastore, String warehouse) {
    rest = new TablesElsewhere();
    rest.setConf(new Configuration());
    rest.initialize("rest", settings(uri));
    Map settings = new HashMap();
    settings.put("uri", metastore);
    settings.put("warehouse", warehouse);
    tables = new HiveCatalog();
    tables.setConf(new Configuration());
    tables.initialize("tables", settings);
    foreign = rest.listNamespaces();
  }

  static Map settings(String uri) {
    // As Iceberg's own run over REST has them; tests expect these values.
    Map settings = new HashMap();
    settings.put("uri", uri);
    settings.put("view-default.key1", "catalog-default-key1");
    settings.put("view-default.key2", "catalog-default-key2");
    settings.put("view-default.key3", "catalog-default-key3");
    settings.put("view-override.key3", "catalog-override-key3");
    settings.put("view-override.key4", "catalog-override-key4");
    return settings;
  }

  static void endWithNothing() {
    for (Iterator namespaces = rest.listNamespaces().iterator(); namespaces.hasNext();) {
      Namespace namespace = (Namespace) namespaces.next();
      if (foreign.contains(namespace)) continue;
      for (Iterator names = tables.listTables(namespace).iterator(); names.hasNext();) {
        tables.dropTable((TableIdentifier) names.next(), false);
      }
      for (Iterator names = rest.listViews(namespace).iterator(); names.hasNext();) {
        rest.dropView((TableIdentifier) names.next());
      }
      rest.dropNamespace(namespace);
    }
  }
}

/** Iceberg's client of REST, but for what the server leaves to catalogs of the metastore. */
class TablesElsewhere extends RESTCatalog {
  public boolean dropTable(TableIdentifier name) {
    return IcebergKit.tables.dropTable(name, false);
  }

  public Catalog.TableBuilder buildTable(TableIdentifier name, Schema schema) {
    return IcebergKit.tables.buildTable(name, schema);
  }
}

class Views extends ViewCatalogTests {
  protected ViewCatalog catalog() {
    return IcebergKit.rest;
  }

  protected Catalog tableCatalog() {
    return IcebergKit.tables;
  }

  protected boolean requiresNamespaceCreate() {
    return true;
  }

  protected boolean supportsServerSideRetry() {
    return true;
  }

  @AfterEach
  public void endWithNothing() {
    IcebergKit.endWithNothing();
  }
}

class Namespaces extends CatalogTests {
  protected Catalog catalog() {
    return IcebergKit.rest;
  }

  protected Catalog initCatalog(String name, Map settings) {
    throw new UnsupportedOperationException();
  }

  protected boolean requiresNamespaceCreate() {
    return true;
  }

  protected boolean supportsNamesWithSlashes() {
    return false;
  }

  protected boolean supportsNamesWithDot() {
    return false;
  }

  @AfterEach
  public void endWithNothing() {
    IcebergKit.endWithNothing();
  }
}

class Outcomes implements TestExecutionListener {
  final Map byName = new TreeMap();

  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    // A class counts where its tests were not run.
    if (!test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) return;
    StringWriter said = new StringWriter();
    said.write(result.getStatus().toString());
    if (result.getThrowable().isPresent()) {
      said.write("\n");
      ((Throwable) result.getThrowable().get()).printStackTrace(new PrintWriter(said, true));
    }
    byName.put(test.getDisplayName(), said.toString());
  }
}
