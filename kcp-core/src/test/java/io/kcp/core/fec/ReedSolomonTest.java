package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReedSolomonTest {

    private static final int BYTES = 61;

    @ParameterizedTest
    @ValueSource(strings = {"10:3", "5:2", "1:1", "1:4", "4:4"})
    void everyPatternThatParityCoversIsReconstructed(String text) {
        FecShape shape = FecShape.parse(text);
        List<int[]> patterns = ErasurePatterns.of(shape.totalShards(), shape.parityShards(), 1_000, 0);
        assertThat(patterns).hasSizeGreaterThanOrEqualTo(Math.min(shape.totalShards(), 377));
        ReedSolomon code = ShardBytes.code(shape);
        byte[][] group = group(shape, new Random(3), BYTES, new ReferenceCode(shape));
        for (int[] lost : patterns) {
            assertReconstructs(code, group, lost, BYTES);
        }
    }

    @Test
    void cachedPatternGivesTheSameResult() {
        FecShape shape = new FecShape(10, 3);
        ReedSolomon code = ShardBytes.code(shape);
        List<int[]> patterns = ErasurePatterns.of(13, 3, 1_000, 0);
        for (int seed = 0; seed < 3; seed++) {
            byte[][] group = group(shape, new Random(seed), BYTES, new ReferenceCode(shape));
            for (int[] lost : patterns) {
                assertReconstructs(code, group, lost, BYTES);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "4", "5", "6"})
    @Tag("slow")
    void randomShapesAndPatternsMatchTheReference(int seed) {
        Random random = new Random(seed);
        for (int run = 0; run < 12; run++) {
            FecShape shape = run == 0 ? new FecShape(200, 55) : new FecShape(1 + random.nextInt(200 >> run % 4), 1 + random.nextInt(55));
            ReferenceCode reference = new ReferenceCode(shape);
            ReedSolomon code = ShardBytes.code(shape);
            int bytes = 1 + random.nextInt(100);
            byte[][] group = group(shape, random, bytes, reference);
            byte[][] parity = reference.parity(Arrays.copyOf(group, shape.dataShards()), bytes);
            assertThat(ShardBytes.encode(code, Arrays.copyOf(group, shape.dataShards()), bytes).toArray(new byte[0][]))
                .as("seed %d, shape %s, %d bytes", seed, shape, bytes).isDeepEqualTo(parity);
            for (int[] lost : ErasurePatterns.of(shape.totalShards(), shape.parityShards(), 6, random.nextLong())) {
                byte[][] shards = without(group, lost);
                byte[][] data = reference.data(shards, bytes);
                List<byte[]> expected = new ArrayList<>();
                for (int position : lost) {
                    if (position < shape.dataShards()) {
                        assertThat(data[position]).isEqualTo(group[position]);
                        expected.add(data[position]);
                    }
                }
                assertThat(ShardBytes.reconstruct(code, shards, bytes).toArray(new byte[0][]))
                    .as("seed %d, shape %s, lost %s", seed, shape, Arrays.toString(lost))
                    .isDeepEqualTo(expected.toArray(new byte[0][]));
            }
        }
    }

    @Test
    void everyLengthIsCodedCompletely() {
        FecShape shape = new FecShape(10, 3);
        ReferenceCode reference = new ReferenceCode(shape);
        ReedSolomon code = ShardBytes.code(shape);
        Random random = new Random(8);
        for (int bytes = 1; bytes <= ShardPool.MAX_SHARD_BYTES; bytes += bytes < 150 ? 1 : 37) {
            byte[][] group = group(shape, random, bytes, reference);
            assertThat(ShardBytes.encode(code, Arrays.copyOf(group, 10), bytes).toArray(new byte[0][])).as("%d bytes", bytes)
                .isDeepEqualTo(Arrays.copyOfRange(group, 10, 13));
            assertReconstructs(code, group, new int[] {1, 4, 9}, bytes);
        }
    }

    @Test
    void wordsAfterTheLengthDoNotChange() {
        ReedSolomon code = new ReedSolomon(2, 1);
        long[][] shards = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
        code.encode(shards, 2);
        assertThat(shards[0]).containsExactly(1, 2, 3);
        assertThat(shards[2][2]).isEqualTo(9);
        assertThat(shards[2][1]).isNotEqualTo(8);
    }

    @Test
    void tooFewShardsReturnMinusOne() {
        ReedSolomon code = new ReedSolomon(3, 2);
        long[][] recovered = new long[2][1];
        assertThat(code.reconstruct(new long[][] {{1}, null, null, null, {1}}, recovered, 1)).isEqualTo(-1);
        assertThat(code.reconstruct(new long[][] {{1}, {2}, {3}, null, null}, recovered, 1)).isZero();
    }

    /** Uses more patterns than the cache stores, in an order that evicts each pattern before it is used again. */
    @Test
    void evictedPatternsAreComputedAgain() {
        FecShape shape = new FecShape(60, 6);
        ReedSolomon code = ShardBytes.code(shape);
        byte[][] group = group(shape, new Random(4), 9, new ReferenceCode(shape));
        for (int round = 0; round < 2; round++) {
            for (int first = 0; first < 60; first++) {
                for (int second = first + 1; second < 66; second += 3) {
                    assertReconstructs(code, group, new int[] {first, second}, 9);
                }
            }
        }
    }

    private static void assertReconstructs(ReedSolomon code, byte[][] group, int[] lost, int bytes) {
        byte[][] expected = Arrays.stream(lost).filter(position -> position < code.dataShards())
            .mapToObj(position -> group[position]).toArray(byte[][]::new);
        assertThat(ShardBytes.reconstruct(code, without(group, lost), bytes).toArray(new byte[0][]))
            .as("lost %s", Arrays.toString(lost)).isDeepEqualTo(expected);
    }

    private static byte[][] without(byte[][] group, int[] lost) {
        byte[][] shards = group.clone();
        for (int position : lost) {
            shards[position] = null;
        }
        return shards;
    }

    private static byte[][] group(FecShape shape, Random random, int bytes, ReferenceCode reference) {
        byte[][] data = new byte[shape.dataShards()][bytes];
        for (byte[] shard : data) {
            random.nextBytes(shard);
        }
        byte[][] parity = reference.parity(data, bytes);
        byte[][] group = Arrays.copyOf(data, shape.totalShards());
        System.arraycopy(parity, 0, group, data.length, parity.length);
        return group;
    }
}
