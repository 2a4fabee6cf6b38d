package io.kcp.spring.properties;

import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Configuration properties for a KCP server. */
public class KcpServerProperties extends KcpSessionProperties {

    /** Local address to bind. By default, all addresses are bound. */
    private @Nullable InetAddress address;

    /** UDP port to bind, or 0 for any free port. Without a port, the server does not start. */
    private @Nullable Integer port;

    /**
     * Number of sockets that share the port. The default is one per event loop if the kernel distributes peers among sockets, otherwise
     * 1.
     */
    private @Nullable Integer sockets;

    /** Whether a replayed first datagram is rejected instead of opening a session. Requires a cipher. */
    private boolean replayProtection = true;

    /** Time within which a new session must receive its first complete message, or 0 to disable the timeout. */
    private Duration firstMessageTimeout = Duration.ofSeconds(10);

    /**
     * Whether a session sends at most three times the bytes that it has received, until its peer has proved that it receives datagrams at
     * its address.
     */
    private boolean amplificationLimit = true;

    /**
     * Version of smux, 1 or 2. Peers then open any number of streams in a session, and controllers handle each stream like a session.
     * Requires the mode stream. By default, sessions have no streams.
     */
    private @Nullable Integer smux;

    /** Type of shutdown when the application stops, which determines how open sessions are closed. */
    private KcpShutdown shutdown = KcpShutdown.GRACEFUL;

    /** TLS inside the sessions. */
    @NestedConfigurationProperty
    private final KcpServerSslProperties ssl = new KcpServerSslProperties();

    /** Packets in the byte stream of a session or of a smux stream. */
    @NestedConfigurationProperty
    private final KcpPacketsProperties packets = new KcpPacketsProperties();

    /** Limits on the sessions of the server. */
    @NestedConfigurationProperty
    private final KcpLimitsProperties limits = new KcpLimitsProperties();

    /** Creates properties with their default values. */
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

    public Duration getFirstMessageTimeout() {
        return firstMessageTimeout;
    }

    public void setFirstMessageTimeout(Duration firstMessageTimeout) {
        this.firstMessageTimeout = firstMessageTimeout;
    }

    public boolean isAmplificationLimit() {
        return amplificationLimit;
    }

    public void setAmplificationLimit(boolean amplificationLimit) {
        this.amplificationLimit = amplificationLimit;
    }

    public @Nullable Integer getSmux() {
        return smux;
    }

    public void setSmux(@Nullable Integer smux) {
        this.smux = smux;
    }

    public KcpServerSslProperties getSsl() {
        return ssl;
    }

    public KcpPacketsProperties getPackets() {
        return packets;
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
