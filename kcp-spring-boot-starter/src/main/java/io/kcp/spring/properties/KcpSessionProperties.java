package io.kcp.spring.properties;

import io.kcp.core.KcpTransferMode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/** Configuration properties that servers and clients have in common. */
public class KcpSessionProperties {

    /** Preset of the protocol settings, which individual properties override. */
    private KcpProfile profile = KcpProfile.FAST3;

    /** Whether the peer receives each write as one message, or all writes as a byte stream. Should be the same on both sides. */
    private KcpTransferMode mode = KcpTransferMode.MESSAGE;

    /** Maximum size of a UDP payload, including all headers. The default is 1400B. */
    private @Nullable DataSize mtu;

    /** Maximum number of segments in flight, from 1 to 65535. Corresponds to sndwnd of kcp-go's SetWindowSize. */
    private @Nullable Integer sendWindow;

    /**
     * Maximum number of received segments that the application has not read yet, from 1 to 65535. Should be at least the send window of
     * the peer.
     */
    private @Nullable Integer receiveWindow;

    /** Maximum size of a sent or received message. */
    private @Nullable DataSize maxMessageSize;

    /** Maximum sending rate of a session in bytes per second, or 0 for no limit. Acknowledgements and parity are not counted. */
    private @Nullable DataSize maxRate;

    /** Time without a datagram from the peer after which the session is closed, or 0 to disable the timeout. */
    private Duration idleTimeout = Duration.ofSeconds(60);

    /** Time without a datagram from the peer after which a liveness probe is sent, or 0 to send none. */
    private Duration keepalive = Duration.ofSeconds(25);

    /**
     * Time without a datagram from the peer after which a session with unacknowledged data is closed, or 0 to disable the timeout. The
     * default is 30s, or 0 with the profile kcp-go.
     */
    private @Nullable Duration deadPeerTimeout;

    /** Maximum time that a closing session waits for the peer to acknowledge its data. */
    private Duration linger = Duration.ofSeconds(5);

    /** Whether a closing session notifies its peer, if the peer uses this library as well, and closes when its peer notifies it. */
    private boolean closeNotice = true;

    /** Protocol settings that override individual settings of the profile. */
    @NestedConfigurationProperty
    private final KcpTuningProperties tuning = new KcpTuningProperties();

    /** Forward error correction. */
    @NestedConfigurationProperty
    private final KcpFecProperties fec = new KcpFecProperties();

    /** Whether sessions survive a change of the client's address, such as a new port of a NAT. Requires an AEAD cipher. */
    private boolean roaming;

    /** Cipher with which all datagrams are encrypted. */
    @NestedConfigurationProperty
    private final KcpCryptProperties crypt = new KcpCryptProperties();

    /** Transport of the sockets. */
    private KcpTransportType transport = KcpTransportType.AUTO;

    /** Number of event loops, or 0 for one per processor. */
    private int threads = 0;

    /** Strategy that the event loops use to wait for datagrams. */
    private KcpLoops loops = KcpLoops.ADAPTIVE;

    /** Size of the send buffer and of the receive buffer that each socket requests from the kernel. The default is 4MB. */
    private @Nullable DataSize socketBuffer;

    /** Differentiated services code point (DSCP) of sent datagrams, from 0 to 63. */
    private @Nullable Integer dscp;

    /** Creates properties with their default values. */
    public KcpSessionProperties() {
    }

    public KcpProfile getProfile() {
        return profile;
    }

    public void setProfile(KcpProfile profile) {
        this.profile = profile;
    }

    public KcpTransferMode getMode() {
        return mode;
    }

    public void setMode(KcpTransferMode mode) {
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

    public boolean isCloseNotice() {
        return closeNotice;
    }

    public void setCloseNotice(boolean closeNotice) {
        this.closeNotice = closeNotice;
    }

    public KcpTuningProperties getTuning() {
        return tuning;
    }

    public KcpFecProperties getFec() {
        return fec;
    }

    public boolean isRoaming() {
        return roaming;
    }

    public void setRoaming(boolean roaming) {
        this.roaming = roaming;
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
