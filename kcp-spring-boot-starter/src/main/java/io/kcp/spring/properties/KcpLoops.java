package io.kcp.spring.properties;

import io.kcp.netty.KcpTransport;
import io.netty.channel.IoHandlerFactory;

/** How event loops wait for datagrams. */
public enum KcpLoops {
    /** They look for 50 µs more before they sleep, as long as nearly all waits end sooner. */
    ADAPTIVE,
    /** They sleep at once: for a quota of CPU that others need. */
    SLEEPING,
    /** They never sleep, and take a core each. */
    SPINNING;

    IoHandlerFactory ioHandlerFactory(KcpTransport transport) {
        return switch (this) {
            case ADAPTIVE -> transport.ioHandlerFactory();
            case SLEEPING -> transport.sleepingIoHandlerFactory();
            case SPINNING -> transport.spinningIoHandlerFactory();
        };
    }
}
