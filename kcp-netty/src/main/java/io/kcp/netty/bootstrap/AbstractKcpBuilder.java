package io.kcp.netty.bootstrap;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpAddressChangeEvent;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.accept.DecryptionBudgetHandler;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.channel.DatagramLayer;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.socket.SocketOffload;
import io.netty.channel.ChannelHandler;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Base class of builders that configure the handlers of a datagram channel: {@link KcpBootstrap}, {@link KcpServerBootstrap} and
 * {@link KcpHandlerBuilder}.
 *
 * @param <B> type of the builder itself
 */
public abstract class AbstractKcpBuilder<B extends AbstractKcpBuilder<B>> {

    private @Nullable CryptoConfig crypto;
    private boolean cryptoSet;
    /** The cipher configuration with a reflection guard, which detects this side's own datagrams when an attacker sends them back. */
    private @Nullable CryptoConfig guardedCrypto;
    private @Nullable FecConfig fec;
    private SocketOffload offload = SocketOffload.ALL;
    private @Nullable ChannelHandler datagramHandler;
    private boolean roaming;

    AbstractKcpBuilder() {
    }

    /** Returns this builder, cast to its own type. */
    @SuppressWarnings("unchecked")
    final B self() {
        return (B) this;
    }

    /**
     * Sets the cipher and the key for all datagrams. The peer must use the same cipher and key. The default is no cipher, which allows
     * every host on the path to read and forge datagrams. A {@link KcpServerBootstrap} logs a warning if it binds an address other than
     * loopback and this method was not called. To use no cipher without that warning, call {@code crypto(null)}.
     *
     * @param crypto the cipher and the key, and further keys that are accepted during a key rotation; null for no cipher
     * @return this
     */
    public B crypto(@Nullable CryptoConfig crypto) {
        this.crypto = crypto;
        cryptoSet = true;
        guardedCrypto = crypto == null ? null : CryptoCodec.guarded(crypto);
        return self();
    }

    /**
     * Returns the configured cipher and key.
     *
     * @return the configuration set by {@link #crypto(CryptoConfig)}, null if there is none
     */
    public @Nullable CryptoConfig crypto() {
        return crypto;
    }

    /**
     * Configures forward error correction (FEC) for outbound datagrams. By default no parity is sent. Parity from the peer is always used.
     *
     * @param fec the settings, null to send no parity
     * @return this
     */
    public B fec(@Nullable FecConfig fec) {
        this.fec = fec;
        return self();
    }

    /**
     * Returns the forward error correction (FEC) settings for outbound datagrams.
     *
     * @return the settings set by {@link #fec(FecConfig)}, null if no parity is sent
     */
    public @Nullable FecConfig fec() {
        return fec;
    }

    /**
     * Sets the maximum number of datagrams that one system call sends to a peer, using generic segmentation offload (GSO). GSO is used only
     * if the kernel supports it. The datagrams are sent as a burst, which must fit into the receive buffer of the peer. The default is 64.
     *
     * @param datagrams 1 to 64; 1 disables GSO
     * @return this
     */
    public B gsoDatagrams(int datagrams) {
        offload = offload.withGsoDatagrams(datagrams);
        return self();
    }

    /**
     * Sets whether the kernel may deliver several datagrams of one peer in a single read, using generic receive offload (GRO). GRO is used
     * only if the kernel supports it, and only while one peer sends many datagrams in a row. The default is true.
     *
     * @param on {@code true} to allow GRO
     * @return this
     */
    public B gro(boolean on) {
        offload = offload.withGro(on);
        return self();
    }

    /**
     * Adds a handler between the socket and the cipher, such as Netty's {@code PcapWriteHandler}. The handler receives every datagram as it
     * is on the wire, as a {@code DatagramPacket}. The default is none.
     *
     * @param datagramHandler the handler, usually a {@code ChannelInitializer<DatagramChannel>}; must be sharable if the builder opens
     *                        more than one channel; null for none
     * @return this
     */
    public B datagramHandler(@Nullable ChannelHandler datagramHandler) {
        this.datagramHandler = datagramHandler;
        return self();
    }

    /**
     * Sets whether sessions survive a change of the client's address, such as a new port that a NAT assigns. The default is false. Without
     * roaming, a session belongs to one address and times out when that address changes. Roaming requires an authenticated cipher, such as
     * aes-128-gcm, because an attacker could otherwise redirect sessions.
     *
     * <p>A server follows a client to a new address if a datagram from that address proves that it comes from the client, and if the client
     * then responds to a challenge that is sent to that address. {@link KcpChannel#remoteAddress()} changes, and a
     * {@link KcpAddressChangeEvent} is fired. A server does not follow a client if another session with a validated peer has the same
     * {@code conv}. A client repeats its latest acknowledgement when it receives nothing for 100 ms or one round trip, whichever is longer,
     * so that the server detects the new address even if the client only receives.
     *
     * @param roaming {@code true} to keep sessions open when the client's address changes; should be set on both sides
     * @return this
     */
    public B roaming(boolean roaming) {
        this.roaming = roaming;
        return self();
    }

    final boolean isRoaming() {
        return roaming;
    }

    /** Throws an exception if roaming is enabled without an authenticated cipher. */
    final void checkRoaming() {
        CryptoConfig config = crypto;
        if (roaming && (config == null || !config.isAuthenticated())) {
            throw new IllegalStateException("roaming requires an authenticated cipher, but the cipher is "
                + (config == null ? "not set" : config.cipherName()) + ". Set crypto to an AEAD cipher such as aes-128-gcm,"
                + " or disable roaming. Without authentication, an attacker could redirect sessions to another address.");
        }
    }

    /** Returns the number of bytes that the cipher and FEC add to each datagram. */
    final int overheadBytes() {
        DatagramLayer parity = new FecCodec(fec);
        DatagramLayer cipher = hasCipher() ? new CryptoCodec(Objects.requireNonNull(crypto)) : null;
        return parity.headBytes() + parity.tailBytes() + (cipher == null ? 0 : cipher.headBytes() + cipher.tailBytes());
    }

    /** Returns {@code true} if {@link #crypto(CryptoConfig)} was called, even with null. */
    final boolean isCryptoSet() {
        return cryptoSet;
    }

    final boolean hasCipher() {
        return crypto != null && !crypto.isNull();
    }

    /** Throws an exception if any setting needs a handler in addition to the {@link KcpHandler}. */
    final void checkNeedsNoPipeline() {
        if (crypto != null || fec != null || roaming || datagramHandler != null || !offload.equals(SocketOffload.ALL)) {
            throw new IllegalStateException("build() creates no handlers for crypto, fec, gsoDatagrams, gro, roaming or datagramHandler,"
                + " but one of these is set. Call buildPipeline() instead.");
        }
    }

    /**
     * Returns a handler that initializes the pipelines of datagram channels and adds a {@link KcpHandler} from the supplier to each.
     *
     * @param admission creates the handlers that limit datagrams from unknown addresses, null for channels that do not limit them
     */
    final KcpHandlerInitializer initializer(DecryptionFailureLog log, @Nullable Supplier<DecryptionBudgetHandler> admission,
        Supplier<DefaultKcpHandler> handlers) {
        return new KcpHandlerInitializer(datagramHandler, admission, guardedCrypto, log, fec, offload, handlers);
    }
}
