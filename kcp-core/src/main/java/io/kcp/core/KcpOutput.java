package io.kcp.core;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Passes the outbound datagrams of a {@link io.kcp.core.conversation.Kcp} to the layers below. Only {@link
 * io.kcp.core.conversation.Kcp#flush Kcp.flush} calls {@link #allocate}, {@link #write}, {@link #onMtuReduced} and {@link #onMtuIncreased}.
 */
public interface KcpOutput {

    /**
     * Returns the number of bytes that the layers below (FEC, cipher) add to each datagram as headers and trailers. The MTU of the
     * conversation is the configured MTU minus this number.
     *
     * @return bytes, at least 0
     */
    int overheadBytes();

    /**
     * Returns the number of datagrams that the layers below protect together with FEC parity. A peer recovers a lost datagram only when the
     * parity of its group arrives, so the late acknowledgement is not a round-trip sample, and it reveals the loss to congestion control.
     *
     * @return the number of data shards in a group, or 0 if no parity is sent; the default implementation returns 0
     */
    default int fecDataShards() {
        return 0;
    }

    /**
     * Returns the object that observes which FEC data shards arrive. Called when the conversation is created or reconfigured.
     *
     * @return the object, or null if the FEC layer does not measure the loss; the default implementation returns null
     */
    default @Nullable ShardArrivals shardArrivals() {
        return null;
    }

    /**
     * Returns {@code true} if the layers below authenticate inbound datagrams, so that only the peer can have created them. A conversation
     * then fails with {@link LinkState#PROTOCOL_ERROR} if the peer continues to violate the protocol.
     *
     * @return {@code true} if datagrams are authenticated; the default implementation returns {@code false}
     */
    default boolean authenticatesPeer() {
        return false;
    }

    /**
     * Returns {@code true} if the source address of the peer may be forged. The conversation then sends at most three times the bytes that
     * it has received, until the peer is validated ({@code AmplificationLimit}). Called once, when the conversation is created.
     *
     * @return {@code true} to limit an unvalidated conversation; the default implementation returns {@code false}
     */
    default boolean limitsAmplification() {
        return false;
    }

    /**
     * Called when the MTU of the conversation has been reduced because its path loses larger datagrams. See
     * {@link KcpConfig#mtuFallback()}.
     *
     * @param mtuBytes the reduced MTU, which includes {@link #overheadBytes()}
     */
    default void onMtuReduced(int mtuBytes) {
    }

    /**
     * Called when the MTU of the conversation has grown because the path has delivered a larger probe. See
     * {@link KcpConfig#mtuSearchLimitBytes()}.
     *
     * @param mtuBytes the new MTU, which includes {@link #overheadBytes()}
     */
    default void onMtuIncreased(int mtuBytes) {
    }

    /**
     * Returns the object that sends probes for a larger MTU. Called when the settings of the conversation permit a search.
     *
     * @return the object, or null if datagrams cannot be protected from fragmentation, so that the conversation does not search; the
     *         default implementation returns null
     */
    default @Nullable MtuProbeOutput mtuProbes() {
        return null;
    }

    /**
     * Allocates a buffer for one datagram. Its reader and writer index leave room for the headers of the layers below, so that each layer
     * can write its header in place.
     *
     * @param datagramBytes the maximum number of bytes that the conversation will write
     * @return an empty buffer with this many writable bytes, <b>returned owned</b>
     */
    ByteBuf allocate(int datagramBytes);

    /**
     * Sends one datagram.
     *
     * @param datagram one or more whole segments, <b>taken</b>
     */
    void write(ByteBuf datagram);
}
