package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Applies the Reed–Solomon code to byte arrays. */
final class ShardBytes {

    private ShardBytes() {
    }

    /** Returns the shard of a datagram, which starts at SIZE. */
    static byte[] shard(byte[] datagram) {
        return Arrays.copyOfRange(datagram, FecHeader.SIZE_OFFSET, datagram.length);
    }

    static ReedSolomon code(FecShape shape) {
        return new ReedSolomon(shape.dataShards(), shape.parityShards());
    }

    /** Returns the coefficients of the parity shards, which are the result of encoding unit vectors. */
    static List<byte[]> parityRows(FecShape shape) {
        byte[][] rows = new byte[shape.parityShards()][shape.dataShards()];
        ReedSolomon code = code(shape);
        for (int column = 0; column < shape.dataShards(); column++) {
            byte[][] data = new byte[shape.dataShards()][];
            for (int i = 0; i < data.length; i++) {
                data[i] = new byte[] {(byte) (i == column ? 1 : 0)};
            }
            List<byte[]> parity = encode(code, data, 1);
            for (int row = 0; row < rows.length; row++) {
                rows[row][column] = parity.get(row)[0];
            }
        }
        return List.of(rows);
    }

    static List<byte[]> encode(ReedSolomon code, byte[][] data, int bytes) {
        long[][] shards = new long[code.dataShards() + code.parityShards()][];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = i < data.length ? toLongs(data[i], bytes) : dirty(bytes);
        }
        code.encode(shards, SlabPool.wordsOf(bytes));
        List<byte[]> parity = new ArrayList<>();
        for (int i = data.length; i < shards.length; i++) {
            parity.add(toBytes(shards[i], bytes));
        }
        return parity;
    }

    static List<byte[]> reconstruct(ReedSolomon code, byte[][] shards, int bytes) {
        long[][] present = new long[shards.length][];
        for (int i = 0; i < shards.length; i++) {
            present[i] = shards[i] == null ? null : toLongs(shards[i], bytes);
        }
        long[][] recovered = new long[code.dataShards()][];
        for (int i = 0; i < recovered.length; i++) {
            recovered[i] = dirty(bytes);
        }
        int count = code.reconstruct(present, recovered, SlabPool.wordsOf(bytes));
        List<byte[]> missing = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            missing.add(toBytes(recovered[i], bytes));
        }
        return missing;
    }

    private static long[] toLongs(byte[] bytes, int longest) {
        long[] words = new long[slabWords(longest)];
        ByteBuffer buffer = ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
        buffer.put(bytes).rewind().asLongBuffer().get(words);
        return words;
    }

    private static byte[] toBytes(long[] words, int bytes) {
        ByteBuffer buffer = ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
        buffer.asLongBuffer().put(words);
        return Arrays.copyOf(buffer.array(), bytes);
    }

    /** Returns an array with arbitrary content, which results must overwrite. */
    private static long[] dirty(int bytes) {
        long[] words = new long[slabWords(bytes)];
        Arrays.fill(words, 0x5a5a5a5a5a5a5a5aL);
        return words;
    }

    private static int slabWords(int bytes) {
        return SlabPool.wordsOf(bytes);
    }
}
