package io.kcp.tools.tunnel;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A tunnel server and a tunnel client in this process, on loopback ports that the operating system chooses. */
final class TunnelPair implements AutoCloseable {

    private static final int READ_TIMEOUT_MS = 30_000;

    final ServerTunnel server;
    final ClientTunnel client;
    final StringWriter serverLog;
    final StringWriter clientLog;

    private TunnelPair(ServerTunnel server, ClientTunnel client, StringWriter serverLog, StringWriter clientLog) {
        this.server = server;
        this.client = client;
        this.serverLog = serverLog;
        this.clientLog = clientLog;
    }

    /** Starts both sides with additional options that both of them accept. */
    static TunnelPair start(InetSocketAddress target, String... options) throws IOException, InterruptedException {
        return start("127.0.0.1:" + target.getPort(), List.of(options), List.of(), List.of());
    }

    static TunnelPair start(String target, List<String> both, List<String> serverOnly, List<String> clientOnly)
        throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--target", target));
        arguments.addAll(both);
        arguments.addAll(serverOnly);
        StringWriter serverLog = new StringWriter();
        ServerTunnel server = ServerTunnel.start(serverOptions(arguments), new TunnelLog(new PrintWriter(serverLog), false));
        arguments = new ArrayList<>(List.of("--localaddr", "127.0.0.1:0",
            "--remoteaddr", "127.0.0.1:" + server.addresses().get(0).getPort()));
        arguments.addAll(both);
        arguments.addAll(clientOnly);
        StringWriter clientLog = new StringWriter();
        try {
            return new TunnelPair(server, ClientTunnel.start(clientOptions(arguments), new TunnelLog(new PrintWriter(clientLog), false)),
                serverLog, clientLog);
        } catch (IOException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    /** Returns a log that discards its messages. */
    static TunnelLog noLog() {
        return new TunnelLog(new PrintWriter(Writer.nullWriter()), true);
    }

    static ServerOptions serverOptions(List<String> arguments) {
        ServerOptions options = new ServerOptions();
        TunnelLauncher.commandLine(options).parseArgs(arguments.toArray(String[]::new));
        options.check();
        return options;
    }

    static ClientOptions clientOptions(List<String> arguments) {
        ClientOptions options = new ClientOptions();
        TunnelLauncher.commandLine(options).parseArgs(arguments.toArray(String[]::new));
        options.check();
        return options;
    }

    /** Connects to the tunnel client. */
    Socket connect() throws IOException {
        return connect(client);
    }

    static Socket connect(ClientTunnel client) throws IOException {
        InetSocketAddress address = (InetSocketAddress) client.localAddress();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(READ_TIMEOUT_MS);
        return socket;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
