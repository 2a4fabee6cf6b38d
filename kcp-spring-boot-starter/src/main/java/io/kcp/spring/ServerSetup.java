package io.kcp.spring;

import io.kcp.netty.KcpTransport;
import io.netty.channel.IoHandlerFactory;
import java.net.InetSocketAddress;

/**
 * What a server is made of beside its bootstrap.
 *
 * @param name         see {@link KcpServer#name()}
 * @param portProperty full name of the property with the port
 * @param local        where it is to listen
 * @param transport    kind of sockets
 * @param loops        how the event loops wait
 * @param threads      how many event loops
 * @param shutdown     how it ends
 * @param wire         what a peer must be set to; no secrets
 */
record ServerSetup(String name, String portProperty, InetSocketAddress local, KcpTransport transport,
    IoHandlerFactory loops, int threads, KcpShutdown shutdown, String wire) {
}
