package io.kcp.spring.server;

import io.netty.util.NetUtil;
import java.io.Serial;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Thrown when a server cannot bind its address. */
public final class KcpBindException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String property;
    private final InetSocketAddress address;

    /**
     * Creates an exception.
     *
     * @param property full name of the property with the port
     * @param address  the address that could not be bound
     */
    KcpBindException(String property, InetSocketAddress address, Throwable cause) {
        super("Cannot bind UDP " + NetUtil.toSocketAddressString(address) + " (" + property + "): " + message(cause), cause);
        this.property = property;
        this.address = address;
    }

    /** Returns the error message of the operating system. */
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
     * Returns the address that could not be bound.
     *
     * @return the address
     */
    public InetSocketAddress address() {
        return address;
    }
}
