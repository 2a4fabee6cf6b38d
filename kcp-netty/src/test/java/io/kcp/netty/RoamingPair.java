package io.kcp.netty;

import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A server with several sockets and a client behind a NAT, with a cipher, on {@link SimulatedHosts} without delay. */
final class RoamingPair implements AutoCloseable {

    final SimulatedHosts hosts = new SimulatedHosts();
    final SimulatedHost server = hosts.addServer(SimulatedHosts.DIRECT);
    final SimulatedHost client = hosts.addClient(SimulatedHosts.DIRECT);

    RoamingPair(int sockets, CountingStream stream) {
        this(sockets, stream, builder -> builder.roaming(true), builder -> builder.roaming(true));
    }

    RoamingPair(int sockets, CountingStream stream, Consumer<KcpHandlerBuilder> serverSettings,
        Consumer<KcpClientHandlerBuilder> clientSettings) {
        server.startServer(sockets, builder -> serverSettings.accept(SimulatedHosts.Layers.CIPHER.apply(builder)), stream);
        client.startClient(builder -> clientSettings.accept(SimulatedHosts.Layers.CIPHER.apply(builder)));
    }

    /** Opens a session and sends ten bytes in each direction. Returns the session of the client. */
    KcpChannel open(int conv, CountingStream clientStream, CountingStream serverStream) {
        KcpChannel session = client.connect(conv, clientStream);
        clientStream.write(session, 10);
        hosts.runForMs(20);
        serverStream.write(accepted(), 10);
        hosts.runForMs(20);
        return session;
    }

    /** Returns the first session that the server accepted. */
    KcpChannel accepted() {
        return server.accepted().get(0);
    }

    /** Rebinds the client to an address that belongs to the same socket of the server, or to another one. */
    InetSocketAddress rebind(boolean otherSocket) {
        SimulatedSocket before = server.socketOf(client.address());
        do {
            client.rebind();
        } while ((server.socketOf(client.address()) == before) == otherSocket);
        return client.address();
    }

    @Override
    public void close() {
        hosts.close();
    }
}
