package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures the share of recoverable datagrams that are recovered, with and without an attacker. */
class FecRecoveryTest {

    private static final FecShape SHAPE = new FecShape(10, 3);
    private static final int TOTAL = 13;
    private static final int DATAGRAMS = 20_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    @ParameterizedTest
    @CsvSource({"10:3, 0.10", "10:3, 0.02", "10:3, 0.25", "3:1, 0.10", "1:1, 0.10", "2:2, 0.20", "5:2, 0.10", "20:10, 0.15", "70:30, 0.20"})
    @Tag("slow")
    void recoverableIndependentLossIsRecovered(String text, double loss) {
        FecShape shape = FecShape.parse(text);
        for (int seed = 1; seed <= 3; seed++) {
            assertShare(shape, ShardLoss.independent(loss, seed), 0, seed, 0.98);
        }
    }

    @ParameterizedTest
    @CsvSource({"10:3, 2, 0.10", "10:3, 5, 0.10", "10:3, 20, 0.10", "3:1, 3, 0.10", "1:1, 4, 0.10", "2:2, 8, 0.2", "20:10, 10, 0.15"})
    @Tag("slow")
    void recoverableBurstsAreRecovered(String text, double meanBurst, double loss) {
        FecShape shape = FecShape.parse(text);
        for (int seed = 1; seed <= 3; seed++) {
            assertShare(shape, ShardLoss.bursts(meanBurst, loss, seed), 0, seed, 0.95);
        }
    }

    @Test
    void reorderingWithinTwoGroupsCostsNothing() {
        assertShare(SHAPE, ShardLoss.independent(0.10, 5), 26, 5, 0.99);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10:3", "3:2", "1:1", "200:55"})
    void recoveryWorksAcrossPaws(String text) {
        FecShape shape = FecShape.parse(text);
        for (int groupsBefore : new int[] {1, 2, 3, 4, 7, 30}) {
            List<FecStream.Sent> edge = FecStream.of(leaks, shape, shape.paws() - groupsBefore * shape.totalShards(),
                60 * shape.dataShards(), 1);
            List<FecStream.Sent> zero = FecStream.of(leaks, shape, 0, 60 * shape.dataShards(), 1);
            assertThat(digest(recover(shape, carried(edge)))).as("%d groups before", groupsBefore)
                .isEqualTo(digest(recover(shape, carried(zero)))).isNotEmpty();
        }
    }

    // ---- Forgery

    /** The kinds of datagrams that an attacker sends. */
    private enum Forgery {
        PARITY_OF_THE_GROUP,
        PARITY_IN_THE_PLACE_OF_DATA,
        PARITY_AHEAD,
        FAR_PARITY,
        GARBAGE_DATA_OF_THE_GROUP,
        GARBAGE_DATA_AHEAD,
        SOUND_DATA_FAR_AWAY,
        SOUND_DATA_AHEAD,
        ANYTHING
    }

    @Test
    @Tag("slow")
    void oneForgedShardIn200HardlyReducesRecovery() {
        for (Forgery forgery : Forgery.values()) {
            for (int seed = 1; seed <= 3; seed++) {
                List<FecStream.Sent> sent = FecStream.of(leaks, SHAPE, 0, DATAGRAMS, seed);
                List<FecStream.Sent> arrived = new LossyPath(seed).losing(ShardLoss.independent(0.10, seed)).carry(sent);
                int baseline = recover(SHAPE, bytes(arrived)).size();
                Random random = new Random(seed);
                List<byte[]> attacked = new ArrayList<>();
                for (int i = 0; i < arrived.size(); i++) {
                    attacked.add(arrived.get(i).bytes());
                    if (i % 200 == 100) {
                        attacked.add(forge(forgery, arrived.get(i).seqid(), random));
                    }
                }
                Set<String> genuine = genuine(sent);
                List<byte[]> recovered = recover(SHAPE, attacked);
                assertThat(recovered.size()).as("%s, seed %d, of %d", forgery, seed, baseline).isGreaterThanOrEqualTo(baseline * 96 / 100);
                if (forgery != Forgery.SOUND_DATA_AHEAD) {
                    // An attacker who knows the conversation id can forge its datagrams, and therefore also some of the recovered
                    // datagrams.
                    assertThat(recovered).as("%s, seed %d", forgery, seed).allMatch(each -> genuine.contains(Arrays.toString(each)));
                }
            }
        }
    }

    /**
     * The attacker sends as many forged shards as there are genuine ones, or a quarter as many if it knows the conversation id and forges
     * consistent shards.
     */
    @Test
    void floodOfFarShardsHardlyReducesRecovery() {
        List<FecStream.Sent> sent = FecStream.of(leaks, SHAPE, 0, 3_000, 1);
        List<FecStream.Sent> arrived = new LossyPath(1).losing(ShardLoss.independent(0.10, 1)).carry(sent);
        int baseline = recover(SHAPE, bytes(arrived)).size();
        Random random = new Random(2);
        List<IntFunction<byte[]>> floods = List.of(
            i -> FecStream.parity(random.nextInt(), 40, random),
            i -> FecStream.parity(1_000_000_000 + i, 40, random),
            i -> FecStream.data(1_000_000_000 + i, FecStream.datagram(FecStream.CONV + 1, i, random)),
            i -> FecStream.data(random.nextInt(), FecStream.datagram(FecStream.CONV, i, random)),
            i -> FecStream.data(1_000_000_000 + i, FecStream.datagram(FecStream.CONV, i, random)));
        for (int flood = 0; flood < floods.size(); flood++) {
            List<byte[]> attacked = new ArrayList<>();
            for (int i = 0; i < arrived.size(); i++) {
                if (i > 50 && (flood < floods.size() - 1 || i % 4 == 0)) {
                    attacked.add(floods.get(flood).apply(i));
                }
                attacked.add(arrived.get(i).bytes());
            }
            assertThat(recover(SHAPE, attacked)).as("flood %d", flood).hasSizeGreaterThanOrEqualTo(baseline * 97 / 100);
        }
    }

    @Test
    void floodOfParityAheadDoesNotReplaceGroups() {
        List<FecStream.Sent> sent = FecStream.of(leaks, SHAPE, 0, 3_000, 1);
        List<FecStream.Sent> arrived = new LossyPath(1).losing(ShardLoss.independent(0.10, 1)).carry(sent);
        int baseline = recover(SHAPE, bytes(arrived)).size();
        Random random = new Random(2);
        List<byte[]> attacked = new ArrayList<>();
        for (FecStream.Sent each : arrived) {
            attacked.add(each.bytes());
            int group = each.seqid() / TOTAL + 2 + random.nextInt(7);
            attacked.add(FecStream.parity(group * TOTAL + 10 + random.nextInt(3), 40, random));
        }
        FecReceiver receiver = receiver(SHAPE);
        int recovered = 0;
        for (byte[] each : attacked) {
            recovered += receiver.receive(each).size();
            assertThat(receiver.stats().groupsHeld()).isLessThanOrEqualTo(4);
        }
        // Forged parity replaces genuine parity. An attacker with this knowledge cannot cause more damage.
        assertThat(recovered).isGreaterThan(baseline / 20);
        assertThat(receiver.stats().fullGroups()).isGreaterThan(80);
    }

    private static byte[] forge(Forgery forgery, int seqid, Random random) {
        int group = seqid - seqid % TOTAL;
        byte[] garbage = new byte[40];
        random.nextBytes(garbage);
        return switch (forgery) {
            case PARITY_OF_THE_GROUP -> FecStream.parity(group + 10 + random.nextInt(3), 40, random);
            case PARITY_IN_THE_PLACE_OF_DATA -> FecStream.parity(group + random.nextInt(10), 40, random);
            case PARITY_AHEAD -> FecStream.parity(group + TOTAL * (1 + random.nextInt(8)) + 11, 40, random);
            case FAR_PARITY -> FecStream.parity(seqid + 1_000_000_000, 40, random);
            case GARBAGE_DATA_OF_THE_GROUP -> FecStream.data(group + random.nextInt(10), garbage);
            case GARBAGE_DATA_AHEAD -> FecStream.data(group + TOTAL * 8, garbage);
            case SOUND_DATA_FAR_AWAY -> FecStream.data(seqid + 1_000_000_000, FecStream.datagram(FecStream.CONV, 1, random));
            case SOUND_DATA_AHEAD -> FecStream.data(group + 3 * TOTAL, FecStream.datagram(FecStream.CONV, 1, random));
            case ANYTHING -> random.nextBoolean() ? garbage : FecStream.parity(random.nextInt(), 40 + random.nextInt(60), random);
        };
    }

    private void assertShare(FecShape shape, ShardLoss loss, int reordering, long seed, double atLeast) {
        List<FecStream.Sent> sent = FecStream.of(leaks, shape, 0, DATAGRAMS, seed);
        List<FecStream.Sent> arrived = new LossyPath(seed).losing(loss).reordering(reordering).carry(sent);
        Set<Integer> recoverable = FecStream.recoverable(shape, sent, arrived);
        assertThat(recoverable).hasSizeGreaterThan(50);
        Set<String> missing = new HashSet<>();
        sent.stream().filter(each -> recoverable.contains(each.seqid())).forEach(each -> missing.add(Arrays.toString(each.payload())));
        List<byte[]> recovered = recover(shape, bytes(arrived));
        assertThat(recovered.stream().map(Arrays::toString).filter(missing::contains).distinct().count())
            .as("seed %d, of %d", seed, recoverable.size()).isGreaterThanOrEqualTo((long) (recoverable.size() * atLeast));
        Set<String> genuine = genuine(sent);
        assertThat(recovered).allMatch(each -> genuine.contains(Arrays.toString(each)));
    }

    private static Set<String> genuine(List<FecStream.Sent> sent) {
        Set<String> genuine = new HashSet<>();
        sent.stream().filter(FecStream.Sent::isData).forEach(each -> genuine.add(Arrays.toString(each.payload())));
        return genuine;
    }

    private List<byte[]> recover(FecShape shape, List<byte[]> arrived) {
        FecReceiver receiver = receiver(shape);
        List<byte[]> recovered = new ArrayList<>();
        arrived.forEach(each -> recovered.addAll(receiver.receive(each)));
        receiver.decoder.release();
        return recovered;
    }

    private FecReceiver receiver(FecShape shape) {
        return new FecReceiver(leaks, FecConfig.of(shape), FecStream.CONV);
    }

    private static List<byte[]> carried(List<FecStream.Sent> sent) {
        return bytes(new LossyPath(7).losing(ShardLoss.independent(0.15, 7)).reordering(4).repeating(0.05).carry(sent));
    }

    private static List<byte[]> bytes(List<FecStream.Sent> sent) {
        return sent.stream().map(FecStream.Sent::bytes).toList();
    }

    private static List<String> digest(List<byte[]> datagrams) {
        return datagrams.stream().map(Arrays::toString).toList();
    }
}
