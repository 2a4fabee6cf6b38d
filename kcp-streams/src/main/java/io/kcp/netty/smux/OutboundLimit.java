package io.kcp.netty.smux;

import io.netty.channel.WriteBufferWaterMark;

/**
 * Limits the outbound bytes that the streams of a session store together to about twice the high-water mark. When the sum exceeds the
 * high-water mark, the difference between twice that mark and the sum is divided equally among all streams, and a stream becomes unwritable
 * if its next write makes it store more than this share. The stream becomes writable again when it has sent most of its bytes, or when the
 * sum falls below the low-water mark. A stream without stored bytes therefore stays writable, even if other streams never send their bytes
 * because the peer does not open their windows.
 */
final class OutboundLimit {

    private final StreamTable<? extends AbstractSmuxStream> streams;
    private final long lowBytes;
    private final long highBytes;
    private long pendingBytes;
    private int unwritableStreams;
    private boolean exceeded;

    OutboundLimit(StreamTable<? extends AbstractSmuxStream> streams, WriteBufferWaterMark waterMark) {
        this.streams = streams;
        lowBytes = waterMark.low();
        highBytes = waterMark.high();
    }

    /** Returns the outbound bytes that all streams store, including Netty's overhead for each message. */
    long pendingBytes() {
        return pendingBytes;
    }

    /** Replaces the number of bytes that a stream stores, and changes the writability of streams if necessary. */
    void update(AbstractSmuxStream stream, long streamBytes) {
        pendingBytes += streamBytes - stream.pendingBytes();
        stream.setPendingBytes(streamBytes);
        if (pendingBytes > highBytes) {
            exceeded = true;
        } else if (exceeded && pendingBytes < lowBytes) {
            exceeded = false;
            makeAllWritable();
        }
        if (stream.isSuspended()) {
            if (streamBytes <= shareBytes() >> 1) {
                resume(stream);
            }
        } else if (exceeded && streamBytes > shareBytes()) {
            unwritableStreams++;
            stream.setSuspended(true);
        }
    }

    private long shareBytes() {
        return Math.max(0, 2 * highBytes - pendingBytes) / Math.max(1, streams.size());
    }

    private void resume(AbstractSmuxStream stream) {
        unwritableStreams--;
        stream.setSuspended(false);
    }

    private void makeAllWritable() {
        if (unwritableStreams > 0) {
            for (AbstractSmuxStream stream : streams.all()) {
                if (stream.isSuspended()) {
                    resume(stream);
                }
            }
        }
    }
}
