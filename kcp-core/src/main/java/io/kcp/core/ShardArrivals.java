package io.kcp.core;

/**
 * Observes which FEC data shards of a session arrive, so that adaptive parity can measure the loss of the path. A conversation reports the
 * shards that contain its segments, and later the acknowledgements of these segments. The FEC encoder of the session implements this
 * interface. Only the thread of the conversation calls it, and no method may throw an exception.
 */
public interface ShardArrivals {

    /**
     * Records that the next data shard contains a data segment. May be called more than once for a shard.
     *
     * @return the number of the shard among all data shards of the session
     */
    long onSegmentAdded();

    /**
     * Records that the acknowledgement of a segment shows that a shard has arrived or that FEC has recovered it.
     *
     * @param shard the number that {@link #onSegmentAdded} returned
     */
    void onArrived(long shard);

    /**
     * Records that another transmission of a segment may have been acknowledged, so that the acknowledgement does not show whether the
     * shard of the latest transmission has arrived.
     *
     * @param shard the number that {@link #onSegmentAdded} returned
     */
    void onUncertain(long shard);

    /** Called after all acknowledgements of an inbound datagram have been reported. */
    void onAcknowledgementsRead();
}
