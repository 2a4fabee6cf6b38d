package io.kcp.netty.smux;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;

/** Finds and copies the payload of the next frame in the flushed messages of an outbound buffer. One instance serves all streams. */
final class NextPayload implements ChannelOutboundBuffer.MessageProcessor {

    private int skippedBytes;
    private int limit;
    private int bytes;
    private int firstIndex;
    private int firstBytes;
    private ByteBuf first = Unpooled.EMPTY_BUFFER;
    private ByteBuf target = Unpooled.EMPTY_BUFFER;
    private boolean copying;

    /** Finds up to {@code limit} bytes after the first {@code skip} bytes of the flushed messages. */
    void find(ChannelOutboundBuffer buffer, int skip, int limit) {
        copying = false;
        scan(buffer, skip, limit);
    }

    /** Copies {@code count} bytes after the first {@code skip} bytes of the flushed messages to a buffer, which is <b>borrowed</b>. */
    void copy(ChannelOutboundBuffer buffer, int skip, int count, ByteBuf out) {
        copying = true;
        target = out;
        scan(buffer, skip, count);
        target = Unpooled.EMPTY_BUFFER;
    }

    /** Drops the reference to the message that {@link #first()} returns. */
    void clear() {
        first = Unpooled.EMPTY_BUFFER;
    }

    private void scan(ChannelOutboundBuffer buffer, int skip, int maxBytes) {
        skippedBytes = skip;
        limit = maxBytes;
        bytes = 0;
        firstBytes = 0;
        try {
            if (limit > 0 && buffer.size() > 0) {
                buffer.forEachFlushedMessage(this);
            }
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception checked) {
            throw new IllegalStateException(checked);
        }
    }

    @Override
    public boolean processMessage(Object message) {
        ByteBuf data = (ByteBuf) message;
        int readable = data.readableBytes();
        if (readable <= skippedBytes) {
            skippedBytes -= readable;
            return true;
        }
        int index = data.readerIndex() + skippedBytes;
        int part = Math.min(readable - skippedBytes, limit - bytes);
        skippedBytes = 0;
        if (copying) {
            target.writeBytes(data, index, part);
        } else if (bytes == 0) {
            first = data;
            firstIndex = index;
            firstBytes = part;
        }
        bytes += part;
        return bytes < limit;
    }

    /** Returns the number of bytes that were found. */
    int bytes() {
        return bytes;
    }

    /** Returns the message that contains the first byte that was found, <b>borrowed</b>. */
    ByteBuf first() {
        return first;
    }

    /** Returns the index in {@link #first()} of the first byte that was found. */
    int firstIndex() {
        return firstIndex;
    }

    /** Returns how many of the bytes that were found are in {@link #first()}. */
    int firstBytes() {
        return firstBytes;
    }
}
