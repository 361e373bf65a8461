// Listeners of a metastore that do what a file of orders says, for tests (tests/faults/listener.py). What must not be
// here: anything that changes what the metastore keeps.
//
// Compiled by Janino, which is among PySpark's jars. An order is a line of the file: the kind of listener, the event
// or the function, the class to throw, and what it says. Each is obeyed once; the first that fits is taken.

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.MetaStoreEndFunctionContext;
import org.apache.hadoop.hive.metastore.MetaStoreEndFunctionListener;
import org.apache.hadoop.hive.metastore.MetaStoreEventListener;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.hadoop.hive.metastore.events.AddPartitionEvent;
import org.apache.hadoop.hive.metastore.events.AlterPartitionEvent;
import org.apache.hadoop.hive.metastore.events.AlterTableEvent;
import org.apache.hadoop.hive.metastore.events.CreateTableEvent;
import org.apache.hadoop.hive.metastore.events.DropPartitionEvent;
import org.apache.hadoop.hive.metastore.events.DropTableEvent;
import org.apache.hadoop.hive.metastore.events.ListenerEvent;

public class Throwing extends MetaStoreEventListener {
    private final Orders orders;
    private final String kind;

    protected Throwing(Configuration configuration, String kind) {
        super(configuration);
        this.orders = new Orders(configuration);
        this.kind = kind;
    }

    public void onCreateTable(CreateTableEvent event) throws MetaException {
        tell(event, "create_table", event.getTable(), null);
    }

    public void onDropTable(DropTableEvent event) throws MetaException {
        tell(event, "drop_table", event.getTable(), null);
    }

    public void onAlterTable(AlterTableEvent event) throws MetaException {
        tell(event, "alter_table", event.getNewTable(), null);
    }

    public void onAddPartition(AddPartitionEvent event) throws MetaException {
        tell(event, "add_partitions", event.getTable(), event.getPartitionIterator());
    }

    public void onDropPartition(DropPartitionEvent event) throws MetaException {
        tell(event, "drop_partitions", event.getTable(), event.getPartitionIterator());
    }

    public void onAlterPartition(AlterPartitionEvent event) throws MetaException {
        tell(event, "alter_partitions", event.getTable(), null);
    }

    private void tell(ListenerEvent told, String event, Table table, Iterator partitions) {
        // Hive tells of what failed, too.
        String[] order = told.getStatus() ? orders.take(kind, event) : null;
        if (order == null) {
            return;
        }
        if (order[0].equals("reads-locations")) {
            while (partitions != null && partitions.hasNext()) {
                ((Partition) partitions.next()).getSd().getLocation();
            }
            table.getSd().getLocation().length();
            throw new IllegalStateException("everything has a location");
        }
        Thrower.raise(order);
    }

    // Called after the transaction.
    public static class AfterCommit extends Throwing {
        public AfterCommit(Configuration configuration) {
            super(configuration, "event");
        }
    }

    // Called inside the transaction.
    public static class BeforeCommit extends Throwing {
        public BeforeCommit(Configuration configuration) {
            super(configuration, "transactional");
        }
    }

    // Called when a function has ended, whatever came of it.
    public static class AtTheEnd extends MetaStoreEndFunctionListener {
        private final Orders orders;

        public AtTheEnd(Configuration configuration) {
            super(configuration);
            this.orders = new Orders(configuration);
        }

        public void onEndFunction(String function, MetaStoreEndFunctionContext context) {
            String[] order = orders.take("end", function);
            if (order != null) {
                Thrower.raise(order);
            }
        }
    }

    public static class Orders {
        private final File file;

        Orders(Configuration configuration) {
            this.file = new File(configuration.get("hive-views.tests.orders"));
        }

        // The class and the text of the first order that fits, which is taken out of the file; null where none does.
        String[] take(String kind, String event) {
            synchronized (Orders.class) {
                if (!file.exists()) {
                    return null;
                }
                try {
                    List lines = new ArrayList(Files.readAllLines(file.toPath(), StandardCharsets.UTF_8));
                    for (int i = 0; i < lines.size(); i++) {
                        String[] order = ((String) lines.get(i)).split("\t", -1);
                        if (order[0].equals(kind) && order[1].equals(event)) {
                            lines.remove(i);
                            Files.write(file.toPath(), lines, StandardCharsets.UTF_8);
                            return new String[] {order[2], order[3]};
                        }
                    }
                    return null;
                } catch (java.io.IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    // Throws any class, whether it is declared or not: Class.newInstance passes on what a constructor throws.
    public static class Thrower {
        private static Throwable next;

        public Thrower() throws Throwable {
            throw next;
        }

        static void raise(String[] order) {
            synchronized (Thrower.class) {
                try {
                    Class kind = Class.forName(order[0]);
                    next = (Throwable) (order[1].isEmpty()
                        ? kind.getConstructor(new Class[0]).newInstance(new Object[0])
                        : kind.getConstructor(new Class[] {String.class}).newInstance(new Object[] {order[1]}));
                } catch (Exception e) {
                    throw new IllegalStateException("no such order: " + order[0], e);
                }
                try {
                    Thrower.class.newInstance();
                } catch (InstantiationException e) {
                    throw new IllegalStateException(e);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
