package io.kcp.bench;

import io.kcp.core.fec.FecShape;
import io.kcp.core.reedsolomon.ReedSolomon;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The Reed–Solomon code alone, over shards of 1,400 bytes. One operation is one group; its data in bytes, 14,000 for 10:3,
 * divided by the nanoseconds of an operation is GB/s.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar ReedSolomonBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ReedSolomonBenchmark {

    private static final int SHARD_BYTES = 1_400;
    /** As long as the slabs of the library: with the header of an array, whole cache lines. */
    private static final int SLAB_WORDS = 190;
    private static final int PATTERNS = 64;

    /** Data and parity shards. */
    @Param("10:3")
    public String shape = "";

    @SuppressWarnings("NullAway.Init")
    private ReedSolomon code;
    private long[][] shards = new long[0][];
    private long[][] recovered = new long[0][];
    private long[][] @Nullable [] lossy = new long[0][][];
    private int next;

    /** Makes a group, and groups of which as many data shards are missing as there is parity. */
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

    /**
     * All parity of a group.
     *
     * @return the parity
     */
    @Benchmark
    public long[][] encode() {
        code.encode(shards, SHARD_BYTES / Long.BYTES);
        return shards;
    }

    /**
     * As many lost data shards as there is parity, in ever other patterns of loss.
     *
     * @return the data
     */
    @Benchmark
    public long[][] reconstruct() {
        next = (next + 1) % PATTERNS;
        if (code.reconstruct(lossy[next], recovered, SHARD_BYTES / Long.BYTES) <= 0) {
            throw new IllegalStateException("too few shards");
        }
        return recovered;
    }

    private static void drop(long[] @Nullable [] group, int position) {
        group[position] = null;
    }
}
