package io.kcp.core.fec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Converts shards between the bytes of a {@code ByteBuf} and the {@code long}s of a slab, using an intermediate array. The shard is aligned
 * to 8 bytes. The array also has room for {@code headerBytes} bytes before the shard.
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

    /** Returns the array as a buffer, in which the shard starts at index {@link #shardAt()}. */
    ByteBuf bytes() {
        return bytes;
    }

    int shardAt() {
        return shardAt;
    }

    /** Copies a header and the shard after it from a borrowed buffer into the array. */
    void copyIn(ByteBuf source, int index, int headerBytes, int shardBytes) {
        source.getBytes(index, array, shardAt - headerBytes, headerBytes + shardBytes);
    }

    /** Copies the shard from the array to a slab and zeroes the rest of the last word. */
    void toSlab(int shardBytes, long[] slab) {
        int end = shardAt + shardBytes;
        int count = SlabPool.wordsOf(shardBytes);
        Arrays.fill(array, end, shardAt + count * Long.BYTES, (byte) 0);
        words.get(shardAt / Long.BYTES, slab, 0, count);
    }

    /** Copies a shard from a slab into the array. */
    void fromSlab(long[] slab, int shardBytes) {
        words.put(shardAt / Long.BYTES, slab, 0, SlabPool.wordsOf(shardBytes));
    }

    /** Appends a part of the shard to a borrowed buffer. */
    void copyOut(int from, int to, ByteBuf out) {
        out.writeBytes(array, shardAt + from, to - from);
    }
}
