package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.LeakCheck;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests attacks with deliberately forged shards. Their effect on recovery, CPU cost and memory must be bounded. */
class FecAttackTest {

    private static final FecShape SHAPE = new FecShape(10, 3);
    private static final int TOTAL = 13;
    private static final int SEED = 5;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    /** Parity with the seqids of the last five data shards of three groups, in descending order, repeatedly. */
    @Test
    void forgedParityDoesNotChangeTheShape() {
        System.out.println("seed " + SEED);
        int quiet = recoveredWithParityInThePlaceOfData(0);
        int attacked = recoveredWithParityInThePlaceOfData(3);
        assertThat(attacked).as("of %d", quiet).isGreaterThanOrEqualTo(quiet * 98 / 100);
    }

    private int recoveredWithParityInThePlaceOfData(int groupsAtOnce) {
        List<FecStream.Sent> arrived = new LossyPath(1).losing(ShardLoss.independent(0.10, 1))
            .carry(FecStream.of(leaks, SHAPE, 0, 20_000, 1));
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(SHAPE), FecStream.CONV);
        Random random = new Random(SEED);
        int recovered = 0;
        int left = 0;
        int attackedMs = 0;
        for (int i = 0; i < arrived.size(); i++) {
            int nowMs = 5_000 + i / 10;
            int seqid = arrived.get(i).seqid();
            recovered += receiver.receive(arrived.get(i).bytes(), nowMs).size();
            if (seqid % TOTAL != TOTAL - 1) {
                continue;
            }
            if (groupsAtOnce > 0 && nowMs - attackedMs >= 150) {
                attackedMs = nowMs;
                left = groupsAtOnce;
                receiver.receive(FecStream.parity(seqid + 5, 40, random), nowMs);
            } else if (left-- > 0) {
                for (int position = 9; position >= 5; position--) {
                    receiver.receive(FecStream.parity(seqid - seqid % TOTAL + position, 40, random), nowMs);
                }
            }
        }
        assertThat(receiver.stats().shapeChanges()).isZero();
        receiver.decoder.release();
        return recovered;
    }

    /** All shards start with the same valid bytes, so that recovered shards start with valid bytes but are invalid as a whole. */
    @ParameterizedTest
    @CsvSource({"128:127, false", "64:64, true", "64:64, false", "200:55, false", "10:3, true"})
    void invalidGroupCausesBoundedWork(String text, boolean fixed) {
        FecShape shape = FecShape.parse(text);
        FecReceiver receiver = new FecReceiver(leaks, fixed ? FecConfig.of(shape).withFixedShape() : FecConfig.of(shape), FecStream.CONV);
        Random random = new Random(SEED);
        int first = 0;
        if (!fixed) {
            FecStream.of(leaks, shape, 0, 3 * shape.dataShards(), 1).forEach(each -> receiver.receive(each.bytes()));
            first = 3 * shape.totalShards();
        }
        long before = receiver.decoder.work();
        byte[] payload = FecStream.datagram(FecStream.CONV, 1, random);
        byte[] data = FecStream.data(first, payload);
        receiver.receive(data);
        for (int i = 0; i < shape.parityShards(); i++) {
            byte[] parity = FecStream.parity(first + shape.dataShards() + i, i == 0 ? 1_506 : data.length, random);
            System.arraycopy(data, FecHeader.SIZE_OFFSET, parity, FecHeader.SIZE_OFFSET, 10);
            receiver.receive(parity);
        }
        for (int i = 1; i < shape.dataShards(); i++) {
            receiver.receive(FecStream.data(first + i, payload));
        }
        long perShard = (receiver.decoder.work() - before) / shape.totalShards();
        System.out.println(text + ": words per shard " + perShard);
        // The JVM processes about two words per nanosecond, so the limit is about 20 us per shard on average.
        assertThat(perShard).isPositive().isLessThan(48_000);
        receiver.decoder.release();
    }

    @Test
    void shapeSearchComparesBoundedShards() {
        ShapeDetector detector = new ShapeDetector();
        int base = 720 * 1_000;
        int most = 0;
        for (int edge = 0; edge < 4; edge++) {
            int start = base + 240 * edge;
            detector.observe(start - 1, false, 3);
            detector.observe(start, true, 3);
            most = Math.max(most, detector.comparisons());
            detector.observe(start + 100 + 7 * edge, true, 3);
            detector.observe(start + 101 + 7 * edge, false, 3);
            most = Math.max(most, detector.comparisons());
        }
        assertThat(most).isBetween(4_000, 16_384 + 255);
    }

    /** Each group receives some shards and then remains incomplete. */
    @Test
    void memoryOfIncompleteGroupsIsLimited() {
        ShardPool pool = new ShardPool(16, 64);
        List<FecDecoder> decoders = new ArrayList<>();
        for (int session = 0; session < 30; session++) {
            FecDecoder decoder = new FecDecoder(FecConfig.of(SHAPE).withFixedShape(), FecStream.CONV, pool);
            decoders.add(decoder);
            for (FecStream.Sent each : FecStream.of(leaks, SHAPE, 0, 5, session)) {
                receive(decoder, each.bytes(), session);
                assertThat(pool.groups().slabs()).isLessThanOrEqualTo(64);
            }
        }
        assertThat(pool.groups().slabs()).isGreaterThanOrEqualTo(60);
        assertThat(decoders.get(0).stats().groupsHeld()).as("the oldest").isZero();
        assertThat(decoders.get(29).stats().groupsHeld()).as("the newest").isOne();
        FecDecoder late = decoders.get(0);
        receive(late, FecStream.of(leaks, SHAPE, 13, 1, 1).get(0).bytes(), 40 + HeldGroups.MAX_AGE_MS);
        assertThat(pool.groups().slabs()).as("all other groups are too old").isOne();
        decoders.forEach(FecDecoder::release);
        assertThat(pool.groups().slabs()).isZero();
    }

    private void receive(FecDecoder decoder, byte[] bytes, int nowMs) {
        var buffer = leaks.allocator().buffer(bytes.length).writeBytes(bytes);
        decoder.decode(buffer, nowMs);
        buffer.release();
    }

    @ParameterizedTest
    @CsvSource({"1:1, 10:20", "1:1, 20:20", "2:1, 60:30", "3:1, 40:40", "10:3, 100:120", "254:1, 1:1"})
    void configuredShapeDoesNotHideThePeersShape(String own, String peers) {
        FecShape shape = FecShape.parse(peers);
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(FecShape.parse(own)), FecStream.CONV);
        List<FecStream.Sent> sent = FecStream.of(leaks, shape, 0, Math.max(400, 30 * shape.dataShards()), 1);
        new LossyPath(1).losing(ShardLoss.independent(0.05, 1)).carry(sent).forEach(each -> receiver.receive(each.bytes()));
        assertThat(receiver.decoder.shape()).isEqualTo(shape);
        assertThat(receiver.stats().recoveredShards()).isPositive();
        receiver.decoder.release();
    }

    /** The decoder must recover at least as much as kcp-go, which stores the same number of groups. */
    @ParameterizedTest
    @CsvSource({"3:1, 40", "3:1, 60", "5:2, 40", "5:2, 60", "5:2, 80", "10:3, 60", "10:3, 80"})
    void reorderedDataDoesNotMoveTheWindowBack(String text, int span) {
        FecShape shape = FecShape.parse(text);
        System.out.println("seed " + SEED);
        List<FecStream.Sent> arrived = new LossyPath(SEED).losing(ShardLoss.independent(0.05, SEED)).reordering(span)
            .carry(FecStream.of(leaks, shape, 0, 10_000, SEED));
        KcpGoFecReceiver kcpGo = new KcpGoFecReceiver(shape);
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(shape), FecStream.CONV);
        int recovered = 0;
        int recoveredByKcpGo = 0;
        for (FecStream.Sent each : arrived) {
            recovered += receiver.receive(each.bytes()).size();
            recoveredByKcpGo += kcpGo.receive(each.bytes()).size();
        }
        System.out.println(text + " overtaken by " + span + ": " + recovered + " of kcp-go's " + recoveredByKcpGo);
        assertThat(recovered).isGreaterThanOrEqualTo(recoveredByKcpGo * 9 / 10);
        receiver.decoder.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 11})
    void burstOfLateDataDoesNotReduceRecovery(int burst) {
        List<FecStream.Sent> arrived = new LossyPath(SEED).losing(ShardLoss.independent(0.10, SEED))
            .carry(FecStream.of(leaks, SHAPE, 0, 8_000, SEED));
        int[] recovered = new int[2];
        for (int run = 0; run < 2; run++) {
            FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(SHAPE), FecStream.CONV);
            for (int i = 0; i < arrived.size(); i++) {
                recovered[run] += receiver.receive(arrived.get(i).bytes()).size();
                for (int late = 0; run == 1 && i > 200 && i % 100 == 0 && late < burst; late++) {
                    int seqid = (arrived.get(i).seqid() / TOTAL - 6) * TOTAL + late + late / 10 * 3;
                    receiver.receive(FecStream.data(seqid, FecStream.datagram(FecStream.CONV, late, new Random(late))));
                }
            }
            receiver.decoder.release();
        }
        assertThat(recovered[1]).isEqualTo(recovered[0]).isGreaterThan(500);
    }

    /** Datagrams of one length with one segment each, so that garbage recovered from them has a valid format. */
    @Test
    @Tag("slow")
    void contradictedShapeRecoversNoGarbage() {
        int changes = 0;
        for (int seed = 1; seed <= 600; seed++) {
            Random random = new Random(seed);
            FecShape first = new FecShape(1 + random.nextInt(12), 1 + random.nextInt(6));
            FecShape second = new FecShape(1 + random.nextInt(12), 1 + random.nextInt(6));
            EqualDatagrams stream = new EqualDatagrams(leaks, random);
            stream.send(first, 0, 150);
            int change = (stream.lastSeqid() / second.totalShards() + 1) * second.totalShards();
            stream.send(second, change, 150);
            List<FecStream.Sent> arrived = new LossyPath(seed).losing(ShardLoss.independent(random.nextInt(35) / 100.0, seed))
                .reordering(random.nextInt(3) == 0 ? random.nextInt(20) : 0).carry(stream.sent());
            FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(first), FecStream.CONV);
            boolean contradicted = false;
            for (FecStream.Sent each : arrived) {
                boolean changed = each.seqid() >= change;
                FecShape shape = receiver.decoder.shape();
                List<byte[]> recovered = receiver.receive(each.bytes());
                contradicted |= changed && each.seqid() % shape.totalShards() < shape.dataShards() != each.isData();
                if (contradicted) {
                    changes++;
                    assertThat(recovered).as("seed %d, %s then %s", seed, first, second)
                        .allMatch(datagram -> stream.isGenuine(Arrays.toString(datagram)));
                }
            }
            receiver.decoder.release();
        }
        assertThat(changes).isGreaterThan(10_000);
    }

    /** The timeout runs the test in another thread, because a length that is read as negative may cause an endless loop. */
    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void lengthAbove2To31IsMalformed() {
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(SHAPE), FecStream.CONV);
        byte[] datagram = FecStream.datagram(FecStream.CONV, 1, new Random(SEED));
        ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN).putInt(SegmentHeader.LENGTH - Integer.BYTES, -SegmentHeader.LENGTH);
        receiver.receive(FecStream.data(0, datagram));
        assertThat(receiver.stats().malformedShards()).isOne();
        receiver.decoder.release();
    }
}
