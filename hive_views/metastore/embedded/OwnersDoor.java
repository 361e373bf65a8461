// Lets the owner of an embedded metastore in, root, and nobody else.
//
// What lives here: who is at the other end of a connection on the loopback interface, as Linux reports it. What must not:
// the start of the server (server_process.py), which has this compiled by Janino; so no generics, no lambdas.

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.thrift.TProcessor;
import org.apache.thrift.TProcessorFactory;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;

public final class OwnersDoor extends TProcessorFactory {
    private static final String[] TABLES = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    private static final String ESTABLISHED = " 01 ";
    // A table is read in pieces, between which a line can move out of sight.
    private static final int LOOKS = 3;

    private final String owner;

    public OwnersDoor(TProcessor processor, String owner) {
        super(processor);
        this.owner = owner;
    }

    // Thrift asks once for each connection, before anything of it is read, and closes it where this fails.
    public TProcessor getProcessor(TTransport transport) {
        Socket socket = ((TSocket) transport).getSocket();
        String user;
        try {
            user = userOf(socket);
        } catch (IOException error) {
            throw new RuntimeException("The kernel's tables of sockets cannot be read, so nobody is let in.", error);
        }
        if (user == null || !user.equals(owner) && !user.equals("0")) {
            String who = user == null ? "somebody who was gone again" : "user " + user;
            SecurityException refusal = new SecurityException(
                "Refused " + who + " at " + socket.getRemoteSocketAddress() + ": this metastore acts as user " + owner
                + ", and for that user and root only.");
            refusal.setStackTrace(new StackTraceElement[0]);  // the log is not to be filled by whoever knocks
            throw refusal;
        }
        return super.getProcessor(transport);
    }

    // The user of the other end; null where it is not open any more. Only of an established connection does the kernel
    // tell the user: what is left of a closed one belongs to user 0 there.
    private static String userOf(Socket socket) throws IOException {
        byte[] here = socket.getLocalAddress().getAddress(), there = socket.getInetAddress().getAddress();
        String[] ends = {
            end(there, socket.getPort(), false) + " " + end(here, socket.getLocalPort(), false),
            end(there, socket.getPort(), true) + " " + end(here, socket.getLocalPort(), true),
        };
        for (int look = 0; look < LOOKS; look++) {
            for (int number = 0; number < TABLES.length; number++) {
                if (!Files.exists(Paths.get(TABLES[number]))) {
                    continue;  // a machine without IPv6
                }
                String table = new String(Files.readAllBytes(Paths.get(TABLES[number])), StandardCharsets.US_ASCII);
                // sl: local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
                int place = table.indexOf(" " + ends[number] + ESTABLISHED);
                if (place >= 0) {
                    return table.substring(place).trim().split(" +", 8)[6];
                }
            }
        }
        return null;
    }

    // An IPv4 address and a port as these tables spell them: words in the order of this machine's bytes.
    private static String end(byte[] address, int port, boolean mapped) {
        String prefix = mapped ? "0000000000000000" + word(new byte[] {0, 0, -1, -1}) : "";
        return prefix + word(address) + ":" + String.format("%04X", new Object[] {Integer.valueOf(port)});
    }

    private static String word(byte[] bytes) {
        int value = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt();
        return String.format("%08X", new Object[] {Integer.valueOf(value)});
    }
}
