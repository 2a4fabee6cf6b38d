package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the decoder detects the shape of the peer under loss, reordering and duplication. */
class FecShapeDetectionTest {

    private static final FecShape TEN_THREE = new FecShape(10, 3);

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    /** kcp-go also needs up to 24 datagrams here, but only if none of them is lost, late or duplicated. */
    @ParameterizedTest
    @ValueSource(strings = {"10:3", "1:1", "2:2", "3:1", "1:4", "5:2", "20:10", "70:30", "200:55", "254:1", "1:254"})
    void unknownShapeIsDetectedWithinThreeGroups(String text) {
        FecShape shape = FecShape.parse(text);
        int total = shape.totalShards();
        int datagrams = shape.dataShards() * Math.max(6, 80 / total);
        List<FecStream.Sent> sent = FecStream.of(leaks, shape, 5 * total, datagrams, 1);
        for (int join = 0; join < total; join += total < 40 ? 1 : 17) {
            FecReceiver receiver = unknown();
            int heard = join;
            while (heard < sent.size() && receiver.decoder.shape() == null) {
                receiver.receive(sent.get(heard++).bytes());
            }
            assertThat(receiver.decoder.shape()).as("joined at %d", join).isEqualTo(shape);
            assertThat(heard - join).as("datagrams, joined at %d", join).isLessThanOrEqualTo(Math.max(3 * total, 24 + total) + 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"10:3, 0.1", "10:3, 0.3", "1:1, 0.2", "2:1, 0.3", "5:2, 0.15", "20:10, 0.2", "100:20, 0.1", "200:55, 0.1"})
    void shapeIsDetectedUnderLossReorderingAndDuplication(String text, double loss) {
        FecShape shape = FecShape.parse(text);
        for (int seed = 1; seed <= 20; seed++) {
            List<FecStream.Sent> sent = FecStream.of(leaks, shape, 0, Math.max(400, shape.dataShards() * 14), seed);
            FecReceiver receiver = unknown();
            int join = new Random(seed).nextInt(shape.totalShards());
            for (FecStream.Sent each : path(seed, loss).carry(sent.subList(join, sent.size()))) {
                receiver.receive(each.bytes());
            }
            assertThat(receiver.decoder.shape()).as("seed %d", seed).isEqualTo(shape);
            assertThat(receiver.stats().shapeChanges()).as("seed %d: the first detected shape is correct", seed).isEqualTo(1);
            assertThat(receiver.stats().recoveredShards()).as("seed %d", seed).isPositive();
        }
    }

    @Test
    @Tag("slow")
    void anyShapeIsDetected() {
        Random random = new Random(9);
        for (int run = 0; run < 150; run++) {
            int total = 2 + random.nextInt(254);
            int dataShards = 1 + random.nextInt(total - 1);
            FecShape shape = new FecShape(dataShards, total - dataShards);
            int first = random.nextInt(1_000_000) * total;
            List<FecStream.Sent> sent = FecStream.of(leaks, shape, first, Math.max(dataShards * 5, 80), run);
            FecReceiver receiver = unknown();
            sent.subList(random.nextInt(total), sent.size()).forEach(each -> receiver.receive(each.bytes()));
            assertThat(receiver.decoder.shape()).as("run %d", run).isEqualTo(shape);
        }
    }

    /** The parity of a sender that pauses is omitted, so its seqids are missing. */
    @Test
    void omittedParityDoesNotContradictTheShape() {
        for (String text : List.of("10:3", "4:2", "6:6")) {
            FecShape shape = FecShape.parse(text);
            FecStream stream = new FecStream(leaks, shape, 0, 1);
            int nowMs = 0;
            for (int group = 0; group < 30; group++) {
                stream.send(shape.dataShards() - 1, nowMs);
                nowMs += group % 2 == 0 ? 600 : 0;
                stream.send(1, nowMs);
            }
            FecReceiver receiver = unknown();
            stream.sent().forEach(each -> receiver.receive(each.bytes()));
            assertThat(receiver.decoder.shape()).isEqualTo(shape);
            assertThat(receiver.stats().shapeChanges()).isEqualTo(1);
        }
    }

    @Test
    void shapeIsNotDetectedFromDataAlone() {
        FecReceiver receiver = unknown();
        FecStream.of(leaks, TEN_THREE, 0, 500, 1).stream().filter(FecStream.Sent::isData)
            .forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isNull();
        assertThat(receiver.stats().shapeChanges()).isZero();
        assertThat(receiver.decoder.isNear(640)).isTrue();
        assertThat(receiver.decoder.isNear(1_000_000)).isFalse();
    }

    @Test
    void configuredShapeIsReplacedByThePeersShape() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(new FecShape(3, 1)), FecStream.CONV);
        List<FecStream.Sent> sent = FecStream.of(leaks, TEN_THREE, 0, 400, 1);
        List<FecStream.Sent> arrived = path(4, 0.1).carry(sent);
        arrived.forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isEqualTo(TEN_THREE);
        int possible = FecStream.recoverable(TEN_THREE, sent, arrived).size();
        assertThat(receiver.stats().recoveredShards()).isGreaterThan(possible * 8 / 10);
    }

    @ParameterizedTest
    @CsvSource({"10:3, 20:5", "20:5, 10:3", "10:3, 10:4", "10:3, 9:4", "1:1, 10:3", "5:2, 1:1", "10:3, 100:20", "10:3, 6:7",
        "10:3, 3:23", "3:1, 1:3"})
    @Tag("slow")
    void changedShapeIsDetected(String before, String after) {
        FecShape first = FecShape.parse(before);
        FecShape second = FecShape.parse(after);
        for (int seed = 1; seed <= 10; seed++) {
            FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(first), FecStream.CONV);
            List<FecStream.Sent> earlier = FecStream.of(leaks, first, 0, 500 * first.dataShards(), seed);
            path(seed, 0.1).carry(earlier).forEach(each -> receiver.receive(each.bytes(), 0));
            long recovered = receiver.stats().recoveredShards();
            int next = (500 * first.totalShards() / second.totalShards() + 1) * second.totalShards();
            List<FecStream.Sent> sent = FecStream.of(leaks, second, next, 40 * second.dataShards(), seed + 100);
            List<FecStream.Sent> arrived = path(seed, 0.1).carry(sent);
            int until = 0;
            for (FecStream.Sent each : arrived) {
                if (!second.equals(receiver.decoder.shape())) {
                    until++;
                }
                receiver.receive(each.bytes(), 2_000);
            }
            assertThat(receiver.decoder.shape()).as("seed %d", seed).isEqualTo(second);
            assertThat(receiver.stats().shapeChanges()).as("seed %d", seed).isEqualTo(1);
            assertThat(until).as("seed %d: datagrams until then", seed).isLessThan(25 * second.totalShards());
            assertThat(receiver.stats().recoveredShards()).as("seed %d", seed).isGreaterThan(recovered);
        }
    }

    @Test
    void recoveryContinuesDuringDetection() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(TEN_THREE), FecStream.CONV);
        Random random = new Random(6);
        int recovered = 0;
        for (FecStream.Sent each : FecStream.of(leaks, TEN_THREE, 0, 1_000, 1)) {
            if (each.seqid() % 13 == 2) {
                // These shards are parity at the position of data, and each of them starts another search.
                receiver.receive(FecStream.parity(each.seqid() + 3, 80, random));
                continue;
            }
            recovered += receiver.receive(each.bytes()).size();
        }
        assertThat(recovered).isEqualTo(100);
        assertThat(receiver.stats().shapeChanges()).isZero();
    }

    @Test
    void fixedShapeIsKept() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(new FecShape(5, 2)).withFixedShape(), FecStream.CONV);
        FecStream.of(leaks, TEN_THREE, 0, 1_000, 1).forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isEqualTo(new FecShape(5, 2));
        assertThat(receiver.stats().shapeChanges()).isZero();
        assertThat(receiver.stats().misplacedShards()).isPositive();
    }

    @Test
    void shapeChangesAtMostOncePerSecond() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(TEN_THREE), FecStream.CONV);
        int nowMs = 0;
        int seqid = 0;
        for (int i = 0; i < 40; i++) {
            FecShape shape = i % 2 == 0 ? new FecShape(3, 2) : new FecShape(4, 2);
            seqid = (seqid / shape.totalShards() + 1) * shape.totalShards();
            for (FecStream.Sent each : FecStream.of(leaks, shape, seqid, 100, i)) {
                receiver.receive(each.bytes(), nowMs);
                seqid = each.seqid();
            }
            nowMs += 250;
        }
        assertThat(receiver.stats().shapeChanges()).isBetween(3L, 10L);
    }

    /** A few groups of another shape do not replace a verified shape. */
    @Test
    void twoForeignGroupsDoNotChangeTheShape() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(TEN_THREE), FecStream.CONV);
        List<FecStream.Sent> sent = FecStream.of(leaks, TEN_THREE, 0, 100, 1);
        sent.removeIf(each -> each.seqid() == 3);
        sent.forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.stats().recoveredShards()).isEqualTo(1);
        FecStream.of(leaks, new FecShape(5, 2), 133, 10, 1).forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isEqualTo(TEN_THREE);
        FecStream.of(leaks, new FecShape(5, 2), 147, 15, 1).forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isEqualTo(new FecShape(5, 2));
    }

    @Test
    void detectionWorksAcrossPaws() {
        List<FecStream.Sent> sent = FecStream.of(leaks, TEN_THREE, TEN_THREE.paws() - 20 * 13, 400, 3);
        for (int join = 100; join < 300; join += 7) {
            FecReceiver receiver = unknown();
            List<byte[]> recovered = new ArrayList<>();
            sent.subList(join, sent.size()).stream().filter(each -> Integer.remainderUnsigned(each.seqid(), 13) != 4)
                .forEach(each -> recovered.addAll(receiver.receive(each.bytes())));
            assertThat(receiver.decoder.shape()).as("joined at %d", join).isEqualTo(TEN_THREE);
            assertThat(recovered).as("joined at %d", join).hasSizeGreaterThan((sent.size() - join) / 13 - 7);
        }
    }

    private FecReceiver unknown() {
        return new FecReceiver(leaks, null, FecStream.CONV);
    }

    private static LossyPath path(long seed, double loss) {
        return new LossyPath(seed).losing(ShardLoss.independent(loss, seed)).repeating(0.1).reordering(6);
    }
}
