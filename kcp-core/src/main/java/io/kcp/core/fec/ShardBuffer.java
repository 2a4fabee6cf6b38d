package io.kcp.core.fec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Converts between the bytes of a {@code ByteBuf} and the {@code long}s of a slab through an array. The shard starts at a word; with
 * {@code headerBytes} the array also has room for the bytes before it.
 */
final class ShardBuffer {

    private final int shardAt;
    private final byte[] array;
    private final LongBuffer words;
    private final ByteBuf bytes;

    ShardBuffer(int headerBytes) {
        shardAt = SlabPool.wordsOf(headerBytes) * Long.BYTES;
        array = new byte[shardAt + SlabPool.SLAB_WORDS * Long.BYTES];
        words = ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()).asLongBuffer();
        bytes = Unpooled.wrappedBuffer(array);
    }

    /** Returns the array as a buffer; {@link #shardAt()} is the index of the shard. */
    ByteBuf bytes() {
        return bytes;
    }

    int shardAt() {
        return shardAt;
    }

    /** Copies bytes of a borrowed buffer, so that those after {@code headerBytes} are the shard. */
    void copyIn(ByteBuf source, int index, int headerBytes, int shardBytes) {
        source.getBytes(index, array, shardAt - headerBytes, headerBytes + shardBytes);
    }

    /** Copies the shard to a slab, and zeroes the rest of the last word. */
    void toSlab(int shardBytes, long[] slab) {
        int end = shardAt + shardBytes;
        int count = SlabPool.wordsOf(shardBytes);
        Arrays.fill(array, end, shardAt + count * Long.BYTES, (byte) 0);
        words.get(shardAt / Long.BYTES, slab, 0, count);
    }

    /** Copies the shard of a slab into the array. */
    void fromSlab(long[] slab, int shardBytes) {
        words.put(shardAt / Long.BYTES, slab, 0, SlabPool.wordsOf(shardBytes));
    }

    /** Appends bytes of the shard to a borrowed buffer. */
    void copyOut(int from, int to, ByteBuf out) {
        out.writeBytes(array, shardAt + from, to - from);
    }
}
