package io.kcp.spring;

import io.netty.util.NetUtil;
import java.io.Serial;
import java.net.InetSocketAddress;

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
        super("UDP " + NetUtil.toSocketAddressString(address) + " of " + property + ": " + cause.getMessage(), cause);
        this.property = property;
        this.address = address;
    }

    /** What the system said. */
    String reason() {
        Throwable cause = getCause();
        return String.valueOf(cause == null ? null : cause.getMessage());
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
