package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.admission.UndecipheredLog;
import io.kcp.netty.socket.SocketOffload;
import io.netty.channel.ChannelHandler;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the handlers in the pipeline of a datagram channel, which {@link KcpBootstrap}, {@link KcpServerBootstrap} and
 * {@link KcpHandlerBuilder} have in common.
 *
 * @param <B> type of the builder itself
 */
public abstract class AbstractKcpBuilder<B extends AbstractKcpBuilder<B>> {

    private @Nullable CryptoConfig crypto;
    /** One instance for all sockets, so that each of them recognises datagrams that another one has sealed. */
    private @Nullable CryptoConfig guardedCrypto;
    private @Nullable FecConfig fec;
    private SocketOffload offload = SocketOffload.ALL;
    private @Nullable ChannelHandler datagramHandler;

    AbstractKcpBuilder() {
    }

    AbstractKcpBuilder(AbstractKcpBuilder<?> other) {
        crypto = other.crypto;
        guardedCrypto = other.guardedCrypto;
        fec = other.fec;
        offload = other.offload;
        datagramHandler = other.datagramHandler;
    }

    /** Returns this builder, typed. */
    @SuppressWarnings("unchecked")
    final B self() {
        return (B) this;
    }

    /**
     * Sets the cipher and the key of all datagrams; the peer must have the same. The default is none: everyone on the path can then read
     * and forge datagrams.
     *
     * @param crypto cipher and key, and other keys that are accepted during a rotation; null for none
     * @return this
     */
    public B crypto(@Nullable CryptoConfig crypto) {
        this.crypto = crypto;
        guardedCrypto = crypto == null ? null : CryptoCodec.guarded(crypto);
        return self();
    }

    /**
     * Returns the cipher and the key.
     *
     * @return what {@link #crypto(CryptoConfig)} set; null for none
     */
    public @Nullable CryptoConfig crypto() {
        return crypto;
    }

    /**
     * Sets the parity that is sent. The default is none. Parity of the peer is used in any case.
     *
     * @param fec the settings; null for none
     * @return this
     */
    public B fec(@Nullable FecConfig fec) {
        this.fec = fec;
        return self();
    }

    /**
     * Returns the parity that is sent.
     *
     * @return what {@link #fec(FecConfig)} set; null for none
     */
    public @Nullable FecConfig fec() {
        return fec;
    }

    /**
     * Sets how many datagrams to one peer are passed to the kernel in one send (GSO), where the kernel supports it. They leave as a burst,
     * which the receive buffer of the peer must hold. The default is 64.
     *
     * @param datagrams 1 to 64; 1 for none
     * @return this
     */
    public B gsoDatagrams(int datagrams) {
        offload = offload.withGsoDatagrams(datagrams);
        return self();
    }

    /**
     * Allows the kernel to deliver a run of datagrams from one peer in one read (GRO), where the kernel supports it and while such runs
     * arrive. The default is true.
     *
     * @param on {@code true} to allow it
     * @return this
     */
    public B gro(boolean on) {
        offload = offload.withGro(on);
        return self();
    }

    /**
     * Adds a handler between the socket and the cipher. It sees every datagram as it is on the wire, as a {@code DatagramPacket}, such as
     * Netty's {@code PcapWriteHandler} does. The default is none.
     *
     * @param datagramHandler the handler, usually a {@code ChannelInitializer<DatagramChannel>}; sharable if the builder opens more than
     *                        one channel; null for none
     * @return this
     */
    public B datagramHandler(@Nullable ChannelHandler datagramHandler) {
        this.datagramHandler = datagramHandler;
        return self();
    }

    /** Returns how many bytes cipher and FEC add to each datagram. */
    final int overheadBytes() {
        DatagramOverhead parity = new FecCodec(fec);
        DatagramOverhead cipher = hasCipher() ? new CryptoCodec(Objects.requireNonNull(crypto)) : null;
        return parity.headBytes() + parity.tailBytes() + (cipher == null ? 0 : cipher.headBytes() + cipher.tailBytes());
    }

    final boolean hasCipher() {
        return crypto != null && !crypto.isNull();
    }

    /** Returns {@code true} if a setting was made that needs a handler beside the {@link KcpHandler}. */
    final boolean needsPipeline() {
        return crypto != null || fec != null || datagramHandler != null || !offload.equals(SocketOffload.ALL);
    }

    /** Returns the handler that fills the pipelines of datagram channels; it takes a {@link KcpHandler} from the supplier for each. */
    final KcpHandlerInitializer initializer(UndecipheredLog log, Supplier<KcpHandler> handlers) {
        return new KcpHandlerInitializer(datagramHandler, guardedCrypto, log, fec, offload, handlers);
    }
}
