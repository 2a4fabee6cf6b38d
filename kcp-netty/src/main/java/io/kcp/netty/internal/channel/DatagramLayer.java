package io.kcp.netty.internal.channel;

import io.kcp.core.ShardArrivals;
import io.kcp.netty.internal.session.AbstractSession;
import org.jspecify.annotations.Nullable;

/**
 * A handler between the sessions and the socket that adds bytes to every datagram, such as a cipher or FEC. Sessions reduce the size of
 * their datagrams by these bytes and reserve room for them in each buffer, so that the handler writes its bytes in place. All layers must
 * be in the pipeline before the first session is opened.
 */
public interface DatagramLayer {

    /** Returns the constant number of bytes that this layer adds in front of each datagram. */
    int headBytes();

    /** Returns the constant number of bytes that this layer adds at the end of each datagram. */
    int tailBytes();

    /** Returns the minimum number of bytes that this layer, if it is a cipher, removes from an inbound datagram. */
    default int leastCipherBytes() {
        return 0;
    }

    /** Returns {@code true} if this layer accepts only datagrams that a peer with the key has created. */
    default boolean isAuthenticated() {
        return false;
    }

    /** Returns the number of data shards in each FEC group that this layer sends, or 0 if it sends no parity. */
    default int dataShards() {
        return 0;
    }

    /** Returns the object that observes which data shards of a session arrive, or null unless this layer adapts its parity. */
    default @Nullable ShardArrivals arrivals(AbstractSession session) {
        return null;
    }
}
