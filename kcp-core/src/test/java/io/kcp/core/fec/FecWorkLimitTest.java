package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the limits on the decoding cost that forged shards cause per shard and per group. Each test exceeds exactly one limit. */
class FecWorkLimitTest {

    private static final int SEED = 5;
    /** Length of a forged parity shard, which is the maximum in a datagram without a cipher. */
    private static final int LONG_PARITY_BYTES = 1_506;
    private static final int SHORT_PARITY_BYTES = 40;
    private static final int MAX_ATTEMPTS_PER_GROUP = 64;
    /** Length of the first part of a shard that the decoder checks before it computes the whole shard, rounded up. */
    private static final int CHECKED_BYTES = 10;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final Random random = new Random(SEED);

    /** The cost of decoding that one group of forged shards causes. */
    private record Cost(long attempts, long maxAttemptsPerShard, long words, long maxWordsPerShard) {
    }

    /**
     * Sends a group of some equal data shards and all parity shards. The parity is random except for its first bytes, which equal those of
     * the data shards, so that each attempt computes at least one whole shard before it fails.
     */
    private Cost costOfForgedParity(FecShape shape, int dataShards, int parityBytes) {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(shape).withFixedShape(), FecStream.CONV);
        List<byte[]> shards = new ArrayList<>();
        byte[] datagram = FecStream.datagram(FecStream.CONV, 1, random);
        for (int i = 0; i < dataShards; i++) {
            shards.add(FecStream.data(i, datagram));
        }
        for (int i = 0; i < shape.parityShards(); i++) {
            byte[] parity = FecStream.parity(shape.dataShards() + i, parityBytes, random);
            System.arraycopy(shards.get(0), FecHeader.SIZE_OFFSET, parity, FecHeader.SIZE_OFFSET, CHECKED_BYTES);
            shards.add(parity);
        }
        long maxAttempts = 0;
        long maxWords = 0;
        for (byte[] shard : shards) {
            long attemptsBefore = receiver.stats().failedReconstructions();
            long wordsBefore = receiver.decoder.work();
            assertThat(receiver.receive(shard)).isEmpty();
            maxAttempts = Math.max(maxAttempts, receiver.stats().failedReconstructions() - attemptsBefore);
            maxWords = Math.max(maxWords, receiver.decoder.work() - wordsBefore);
        }
        Cost cost = new Cost(receiver.stats().failedReconstructions(), maxAttempts, receiver.decoder.work(), maxWords);
        receiver.decoder.release();
        System.out.println(shape + ": " + cost);
        return cost;
    }

    /** One attempt uses all shards, and each of the others ignores one shard. */
    @ParameterizedTest
    @CsvSource({"20:60, 17", "32:32, 17", "40:80, 11", "64:64, 5", "100:155, 2"})
    void forgedShardCausesFewAttempts(String text, int maxAttempts) {
        FecShape shape = FecShape.parse(text);
        Cost cost = costOfForgedParity(shape, shape.dataShards() - 2, SHORT_PARITY_BYTES);
        assertThat(cost.maxAttemptsPerShard).isEqualTo(maxAttempts);
    }

    @ParameterizedTest
    @CsvSource({"2:200", "3:100", "5:100"})
    void forgedGroupCausesFewAttempts(String shape) {
        Cost cost = costOfForgedParity(FecShape.parse(shape), 1, SHORT_PARITY_BYTES);
        assertThat(cost.attempts).isEqualTo(MAX_ATTEMPTS_PER_GROUP);
    }

    /** Recovering the maximum number of losses may cost this much, and forged shards may cause twice that cost and one more attempt. */
    @ParameterizedTest
    @CsvSource({"40:200", "60:180", "100:155"})
    void forgedGroupCausesBoundedWork(String text) {
        FecShape shape = FecShape.parse(text);
        long recovery = (long) Math.min(shape.dataShards(), shape.parityShards()) * shape.dataShards()
            * Reconstruction.workOfCoefficient(LONG_PARITY_BYTES);
        Cost cost = costOfForgedParity(shape, 1, LONG_PARITY_BYTES);
        assertThat(cost.words).isBetween(recovery / 10, 3 * recovery);
    }

    /** The shape is not verified, so each parity shard of a complete group is compared with the data of the group. */
    @Test
    void forgedParityOfCompleteGroupCausesFewComparisons() {
        FecShape shape = new FecShape(20, 200);
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(shape), FecStream.CONV);
        List<byte[]> data = FecStream.of(leaks, shape, 0, shape.dataShards(), SEED).stream().filter(FecStream.Sent::isData)
            .map(FecStream.Sent::bytes).toList();
        data.forEach(receiver::receive);
        long max = 0;
        for (int i = 0; i < 40; i++) {
            long before = receiver.decoder.work();
            receiver.receive(FecStream.parity(shape.dataShards() + i, SHORT_PARITY_BYTES, random));
            max = Math.max(max, receiver.decoder.work() - before);
        }
        System.out.println("words compared per shard: " + max);
        receiver.decoder.release();
        long wordsOfData = 20L * SlabPool.wordsOf(data.stream().mapToInt(each -> each.length).max().orElseThrow());
        assertThat(max).isBetween(1L, 4 * wordsOfData);
    }
}
