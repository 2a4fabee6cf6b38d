package io.kcp.bench;

import io.kcp.core.fec.FecShape;
import io.kcp.core.internal.reedsolomon.ReedSolomon;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Measures the Reed–Solomon code for shards of 1,400 bytes, without FEC headers. One operation is one group. For GB/s, divide the data
 * bytes of a group (14,000 for 10:3) by the nanoseconds of an operation.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar ReedSolomonBenchmark -prof gc</pre>
 */
public class ReedSolomonBenchmark extends NanosecondBenchmark {

    private static final int SHARD_BYTES = 1_400;
    /** Length of the shard arrays. The library uses the same length, which fills whole cache lines together with the array header. */
    private static final int SLAB_WORDS = 190;
    private static final int PATTERNS = 64;

    /** Numbers of data and parity shards per group. */
    @Param("10:3")
    public String shape = "";

    @SuppressWarnings("NullAway.Init")
    private ReedSolomon code;
    private long[][] shards = new long[0][];
    private long[][] recovered = new long[0][];
    private long[][] @Nullable [] lossy = new long[0][][];
    private int next;

    /** Creates a complete group, and groups in which as many data shards are missing as there are parity shards. */
    @Setup
    public void makeShards() {
        FecShape parsed = FecShape.parse(shape);
        code = new ReedSolomon(parsed.dataShards(), parsed.parityShards());
        Random random = new Random(1);
        shards = new long[parsed.totalShards()][SLAB_WORDS];
        recovered = new long[parsed.parityShards()][SLAB_WORDS];
        for (int position = 0; position < parsed.dataShards(); position++) {
            shards[position] = random.longs(SLAB_WORDS).toArray();
        }
        code.encode(shards, SHARD_BYTES / Long.BYTES);
        lossy = new long[PATTERNS][][];
        for (int i = 0; i < PATTERNS; i++) {
            long[][] group = shards.clone();
            random.ints(0, parsed.dataShards()).distinct().limit(Math.min(parsed.parityShards(), parsed.dataShards()))
                .forEach(position -> drop(group, position));
            lossy[i] = group;
        }
    }

    /** Computes all parity shards of a group. */
    @Benchmark
    public long[][] encode() {
        code.encode(shards, SHARD_BYTES / Long.BYTES);
        return shards;
    }

    /** Reconstructs as many data shards as there are parity shards, with a different loss pattern in each call. */
    @Benchmark
    public long[][] reconstruct() {
        next = (next + 1) % PATTERNS;
        if (code.reconstruct(lossy[next], recovered, SHARD_BYTES / Long.BYTES) <= 0) {
            throw new IllegalStateException("the group has too few shards");
        }
        return recovered;
    }

    private static void drop(long[] @Nullable [] group, int position) {
        group[position] = null;
    }
}
