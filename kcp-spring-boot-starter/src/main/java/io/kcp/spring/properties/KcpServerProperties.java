package io.kcp.spring.properties;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Settings of a server. */
public class KcpServerProperties extends KcpSessionProperties {

    /** Local address; all of them unless set. */
    private @Nullable InetAddress address;

    /** UDP port, 0 for any that is free. There is no server without it. */
    private @Nullable Integer port;

    /** Sockets that share the port; unless set one for each event loop where the kernel spreads peers over them, else one. */
    private @Nullable Integer sockets;

    /** Whether a recorded first datagram opens nothing when it is sent again; works with a cipher only. */
    private boolean replayProtection = true;

    /** Whether sessions may finish when the application stops. */
    private KcpShutdown shutdown = KcpShutdown.GRACEFUL;

    /** What the server takes on at most. */
    @NestedConfigurationProperty
    private final KcpLimitsProperties limits = new KcpLimitsProperties();

    /** Creates what nothing is set in. */
    public KcpServerProperties() {
    }

    public @Nullable InetAddress getAddress() {
        return address;
    }

    public void setAddress(@Nullable InetAddress address) {
        this.address = address;
    }

    public @Nullable Integer getPort() {
        return port;
    }

    public void setPort(@Nullable Integer port) {
        this.port = port;
    }

    public @Nullable Integer getSockets() {
        return sockets;
    }

    public void setSockets(@Nullable Integer sockets) {
        this.sockets = sockets;
    }

    public boolean isReplayProtection() {
        return replayProtection;
    }

    public void setReplayProtection(boolean replayProtection) {
        this.replayProtection = replayProtection;
    }

    public KcpShutdown getShutdown() {
        return shutdown;
    }

    public void setShutdown(KcpShutdown shutdown) {
        this.shutdown = shutdown;
    }

    public KcpLimitsProperties getLimits() {
        return limits;
    }
}
