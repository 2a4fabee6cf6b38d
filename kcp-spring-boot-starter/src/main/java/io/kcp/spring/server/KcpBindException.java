package io.kcp.spring.server;

import io.netty.util.NetUtil;
import java.io.Serial;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A server could not listen. */
public final class KcpBindException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String property;
    private final InetSocketAddress address;

    /**
     * Creates an exception.
     *
     * @param property full name of the property with the port
     * @param address  where the server wanted to listen
     */
    KcpBindException(String property, InetSocketAddress address, Throwable cause) {
        super("UDP " + NetUtil.toSocketAddressString(address) + " of " + property + ": " + message(cause), cause);
        this.property = property;
        this.address = address;
    }

    /** What the system said. */
    String reason() {
        return message(getCause());
    }

    private static String message(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        return message == null ? String.valueOf(cause) : message;
    }

    String property() {
        return property;
    }

    /**
     * Returns where the server wanted to listen.
     *
     * @return the address
     */
    public InetSocketAddress address() {
        return address;
    }
}
