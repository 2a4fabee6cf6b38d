package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Implements the sending half of a stream. Creates data frames from the flushed messages of the outbound buffer. The messages stay
 * in that buffer until the parent channel has written their frames, and their promises complete then.
 */
final class StreamSender {

    /** Payloads of this length and more are sent as slices after a separate header. Shorter ones are copied. */
    private static final int MIN_SLICE_BYTES = 4_096;

    private final AbstractSmuxStream stream;
    private final SmuxContext link;
    private long sentBytes;
    /** The number of sent bytes that the parent channel has not written yet. They are the first bytes of the outbound buffer. */
    private int unwrittenBytes;
    private long consumedByPeer;
    private long peerWindow = FrameFormat.INITIAL_WINDOW_BYTES;

    StreamSender(AbstractSmuxStream stream, SmuxContext link) {
        this.stream = stream;
        this.link = link;
    }

    /** Returns {@code true} if flushed messages have not been written by the parent channel. */
    boolean hasFlushed() {
        ChannelOutboundBuffer buffer = stream.unsafe().outboundBuffer();
        return buffer != null && !buffer.isEmpty();
    }

    // ---- limit of the session on outbound bytes

    /** Reports the number of bytes in the outbound buffer, including a message that is about to be added, to the {@link OutboundLimit}. */
    void reportPending(int addedBytes) {
        ChannelOutboundBuffer buffer = stream.unsafe().outboundBuffer();
        link.outboundLimit().update(stream, buffer == null ? 0 : buffer.totalPendingWriteBytes() + addedBytes);
    }

    /** Reports that the stream was closed and no longer stores outbound bytes. */
    void release() {
        link.outboundLimit().update(stream, 0);
    }

    // ---- frames

    /**
     * Writes the next data frame to the parent channel, without a flush.
     *
     * @return the number of bytes written, including the header; 0 if there is no flushed data or the window of the peer is used up
     */
    int writeFrame(ChannelHandlerContext parent) {
        ChannelOutboundBuffer buffer = stream.unsafe().outboundBuffer();
        if (buffer == null) {
            return 0;
        }
        int limit = (int) Math.min(link.settings().maxFrameBytes(), windowBytes());
        NextPayload content = link.frameContent();
        content.find(buffer, unwrittenBytes, limit);
        int bytes = content.bytes();
        if (bytes == 0) {
            if (unwrittenBytes == 0) {
                // Completes writes of empty buffers, which need no window. A FIN waits for them.
                buffer.removeBytes(0);
                reportPending(0);
                stream.onWritten();
            }
            return 0;
        }
        ByteBuf first = content.first();
        boolean sliced = content.firstBytes() >= MIN_SLICE_BYTES;
        bytes = sliced ? content.firstBytes() : Math.min(bytes, MIN_SLICE_BYTES);
        ByteBuf frame = parent.alloc().ioBuffer(FrameFormat.HEADER_BYTES + (sliced ? 0 : bytes));
        FrameFormat.writeHeader(frame, link.settings().version(), FrameFormat.PSH, bytes, stream.id32());
        sentBytes += bytes;
        link.counters().framesSent++;
        link.counters().bytesSent += bytes;
        if (sliced) {
            ByteBuf payload = first.retainedSlice(content.firstIndex(), bytes);
            unwrittenBytes += bytes;
            parent.write(frame).addListener(link.controlWrite());
            if (link.isClosed()) {
                // The header was not written, so the peer would read the payload as frames.
                payload.release();
            } else {
                parent.write(payload).addListener(link.frameWrite(stream, bytes));
            }
        } else {
            content.copy(buffer, unwrittenBytes, bytes, frame);
            unwrittenBytes += bytes;
            parent.write(frame).addListener(link.frameWrite(stream, bytes));
        }
        content.clear();
        return FrameFormat.HEADER_BYTES + bytes;
    }

    private long windowBytes() {
        return link.isV2() ? Math.max(0, peerWindow - (sentBytes - consumedByPeer)) : Integer.MAX_VALUE;
    }

    /** Completes the promises of messages whose bytes the parent channel has written. */
    void onFrameWritten(int bytes) {
        unwrittenBytes -= bytes;
        ChannelOutboundBuffer buffer = stream.unsafe().outboundBuffer();
        if (buffer != null) {
            buffer.removeBytes(bytes);
            reportPending(0);
            stream.onWritten();
        }
    }

    /**
     * Applies a UPD frame of the peer.
     *
     * @return an exception if the peer has consumed more than was sent, or null
     */
    @Nullable SmuxException onUpdate(int consumed, int window) {
        int unconsumed = (int) sentBytes - consumed;
        if (unconsumed < 0) {
            return new SmuxException(SmuxError.INVALID_CONSUMED, stream + " sent " + sentBytes
                + " bytes, but the peer reported " + Integer.toUnsignedString(consumed) + " as consumed (modulo 2^32)");
        }
        long newlyConsumed = sentBytes - unconsumed;
        if (newlyConsumed < consumedByPeer) {
            link.counters().ignored++;
            return null;
        }
        consumedByPeer = newlyConsumed;
        peerWindow = Math.min(Integer.MAX_VALUE, Integer.toUnsignedLong(window));
        if (hasFlushed()) {
            link.scheduler().addReady(stream);
        }
        return null;
    }
}
