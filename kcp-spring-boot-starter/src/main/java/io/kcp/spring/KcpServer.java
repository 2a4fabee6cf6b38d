package io.kcp.spring;

import io.kcp.netty.KcpServerChannel;
import java.net.InetSocketAddress;

/** A server of this application. All methods may be called from any thread. */
public interface KcpServer {

    /**
     * Returns the name.
     *
     * @return as in {@code kcp.servers.<name>}; {@code server} for that of {@code kcp.server}
     */
    String name();

    /**
     * Returns where it listens.
     *
     * @return the address, with the port that it got if it asked for any
     * @throws IllegalStateException if it does not run
     */
    InetSocketAddress localAddress();

    /**
     * Tells what the other side is to be set to, in kcp-go's words.
     *
     * @return one line, without secrets
     */
    String wireSettings();

    /**
     * Returns the channel.
     *
     * @return the channel; another one after a stop and a start of the application context
     * @throws IllegalStateException if it does not run
     */
    KcpServerChannel channel();
}
