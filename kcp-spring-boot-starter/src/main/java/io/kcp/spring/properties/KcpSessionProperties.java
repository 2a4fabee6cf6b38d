package io.kcp.spring.properties;

import io.kcp.core.KcpMode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/** What the sessions of a server and those of a client have in common. */
public class KcpSessionProperties {

    /** Set of settings to begin with; all that follow change a single one of it. */
    private KcpProfile profile = KcpProfile.FAST3;

    /** Whether each write arrives as one message or all of them as a stream; the peer should have the same. */
    private KcpMode mode = KcpMode.MESSAGE;

    /** Size of a UDP payload with everything in it; 1400B unless set. */
    private @Nullable DataSize mtu;

    /** Segments in flight at most, 1 to 65535; kcp-go's SetWindowSize. */
    private @Nullable Integer sendWindow;

    /** Segments received and not read at most, 1 to 65535; not smaller than the peer's send window. */
    private @Nullable Integer receiveWindow;

    /** Longest message that is sent or accepted. */
    private @Nullable DataSize maxMessageSize;

    /** What a session sends in one second at most; 0 for no limit. */
    private @Nullable DataSize maxRate;

    /** How long nothing may come before the session ends; 0 for ever. */
    private Duration idleTimeout = Duration.ofSeconds(60);

    /** After how much silence the peer is asked for a sign of life; 0 for never. */
    private Duration keepalive = Duration.ofSeconds(25);

    /** How long a peer that owes an answer may be silent, 0 for ever; 30s unless set, 0 with the profile kcp-go. */
    private @Nullable Duration deadPeerTimeout;

    /** How long a session that is closed waits for its data to be acknowledged. */
    private Duration linger = Duration.ofSeconds(5);

    /** Single knobs of the protocol. */
    @NestedConfigurationProperty
    private final KcpTuningProperties tuning = new KcpTuningProperties();

    /** Parity that is sent. */
    @NestedConfigurationProperty
    private final KcpFecProperties fec = new KcpFecProperties();

    /** Cipher and key of all datagrams. */
    @NestedConfigurationProperty
    private final KcpCryptProperties crypt = new KcpCryptProperties();

    /** Kind of sockets. */
    private KcpTransportType transport = KcpTransportType.AUTO;

    /** Event loops; 0 for one for each processor. */
    private int threads = 0;

    /** How the event loops wait for datagrams. */
    private KcpLoops loops = KcpLoops.ADAPTIVE;

    /** Receive and send buffer that each socket asks the kernel for; 4MB unless set. */
    private @Nullable DataSize socketBuffer;

    /** Differentiated services code point of what is sent, 0 to 63. */
    private @Nullable Integer dscp;

    /** Creates what nothing is set in. */
    public KcpSessionProperties() {
    }

    public KcpProfile getProfile() {
        return profile;
    }

    public void setProfile(KcpProfile profile) {
        this.profile = profile;
    }

    public KcpMode getMode() {
        return mode;
    }

    public void setMode(KcpMode mode) {
        this.mode = mode;
    }

    public @Nullable DataSize getMtu() {
        return mtu;
    }

    public void setMtu(@Nullable DataSize mtu) {
        this.mtu = mtu;
    }

    public @Nullable Integer getSendWindow() {
        return sendWindow;
    }

    public void setSendWindow(@Nullable Integer sendWindow) {
        this.sendWindow = sendWindow;
    }

    public @Nullable Integer getReceiveWindow() {
        return receiveWindow;
    }

    public void setReceiveWindow(@Nullable Integer receiveWindow) {
        this.receiveWindow = receiveWindow;
    }

    public @Nullable DataSize getMaxMessageSize() {
        return maxMessageSize;
    }

    public void setMaxMessageSize(@Nullable DataSize maxMessageSize) {
        this.maxMessageSize = maxMessageSize;
    }

    public @Nullable DataSize getMaxRate() {
        return maxRate;
    }

    public void setMaxRate(@Nullable DataSize maxRate) {
        this.maxRate = maxRate;
    }

    public Duration getIdleTimeout() {
        return idleTimeout;
    }

    public void setIdleTimeout(Duration idleTimeout) {
        this.idleTimeout = idleTimeout;
    }

    public Duration getKeepalive() {
        return keepalive;
    }

    public void setKeepalive(Duration keepalive) {
        this.keepalive = keepalive;
    }

    public @Nullable Duration getDeadPeerTimeout() {
        return deadPeerTimeout;
    }

    public void setDeadPeerTimeout(@Nullable Duration deadPeerTimeout) {
        this.deadPeerTimeout = deadPeerTimeout;
    }

    public Duration getLinger() {
        return linger;
    }

    public void setLinger(Duration linger) {
        this.linger = linger;
    }

    public KcpTuningProperties getTuning() {
        return tuning;
    }

    public KcpFecProperties getFec() {
        return fec;
    }

    public KcpCryptProperties getCrypt() {
        return crypt;
    }

    public KcpTransportType getTransport() {
        return transport;
    }

    public void setTransport(KcpTransportType transport) {
        this.transport = transport;
    }

    public int getThreads() {
        return threads;
    }

    public void setThreads(int threads) {
        this.threads = threads;
    }

    public KcpLoops getLoops() {
        return loops;
    }

    public void setLoops(KcpLoops loops) {
        this.loops = loops;
    }

    public @Nullable DataSize getSocketBuffer() {
        return socketBuffer;
    }

    public void setSocketBuffer(@Nullable DataSize socketBuffer) {
        this.socketBuffer = socketBuffer;
    }

    public @Nullable Integer getDscp() {
        return dscp;
    }

    public void setDscp(@Nullable Integer dscp) {
        this.dscp = dscp;
    }
}
