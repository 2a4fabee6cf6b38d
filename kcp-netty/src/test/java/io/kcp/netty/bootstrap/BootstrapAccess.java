package io.kcp.netty.bootstrap;

import java.net.InetSocketAddress;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Lets tests of other packages use what users must not see. */
public final class BootstrapAccess {

    private BootstrapAccess() {
    }

    /** Returns {@code true} if the kernel distributes the peers of one port among several sockets. */
    public static boolean balancesPort(KcpTransport transport) {
        return transport.balancesPort();
    }

    /** Returns why a transport is not available. */
    public static Throwable whyNot(KcpTransport transport) {
        return transport.whyNot();
    }

    /** Draws a conversation id. */
    public static int drawConv(IntSupplier random) {
        return KcpBootstrap.drawConv(random);
    }

    /** Returns the exception of a failed bind. */
    public static Throwable bindFailure(@Nullable Throwable cause, InetSocketAddress address) {
        return DatagramSockets.bindFailure(cause, address);
    }
}
