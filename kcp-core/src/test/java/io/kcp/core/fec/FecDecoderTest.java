package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the rules of {@link FecDecoder} one by one. */
class FecDecoderTest {

    private static final FecShape SHAPE = new FecShape(10, 3);
    private static final int TOTAL = 13;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final Random random = new Random(1);

    @Test
    void lostDatagramsAreRecoveredInOrder() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        List<byte[]> recovered = receiveAll(receiver, without(group, 8, 2, 5));
        assertThat(recovered).containsExactly(group.get(2).payload(), group.get(5).payload(), group.get(8).payload());
        assertThat(receiver.stats().recoveredShards()).isEqualTo(3);
        assertThat(receiver.stats().parityShards()).isEqualTo(3);
        assertThat(receiver.stats().dataShards()).isEqualTo(7);
        assertThat(receiver.stats().groupsHeld()).isZero();
    }

    @Test
    void dataMayCompleteAGroup() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        assertThat(receiveAll(receiver, without(group, 4, 9))).containsExactly(group.get(4).payload(), group.get(9).payload());

        List<FecStream.Sent> late = new ArrayList<>(without(stream(10), 0, 1, 3));
        late.add(late.remove(0));
        assertThat(receiveAll(receiver(), late)).hasSize(3);
    }

    @Test
    void fullGroupRecoversNothing() {
        FecReceiver receiver = receiver();
        assertThat(receiveAll(receiver, stream(10))).isEmpty();
        assertThat(receiver.stats().fullGroups()).isEqualTo(1);
        assertThat(receiver.stats().lateShards()).as("the parity of the complete group").isEqualTo(3);
    }

    @Test
    void tooManyLossesRecoverNothing() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        assertThat(receiveAll(receiver, without(group, 0, 1, 2, 3))).isEmpty();
        assertThat(receiver.stats().groupsHeld()).isEqualTo(1);
        assertThat(receiver.receive(group.get(1).bytes())).as("the missing shard arrives late").hasSize(3);
    }

    /** Unlike this decoder, kcp-go stores late shards again and decodes the group a second time. */
    @Test
    void lateShardsOfACompleteGroupRecoverNothing() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        assertThat(receiveAll(receiver, without(group, 2, 5, 8))).hasSize(3);
        assertThat(receiveAll(receiver, group)).isEmpty();
        assertThat(receiver.stats().recoveredShards()).isEqualTo(3);
        assertThat(receiver.stats().lateShards()).isEqualTo(13);
    }

    @Test
    void shapeOneToOneRecoversOnlyLostDatagrams() {
        List<FecStream.Sent> sent = FecStream.of(leaks, new FecShape(1, 1), 0, 200, 3);
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(new FecShape(1, 1)).withFixedShape(), FecStream.CONV);
        List<FecStream.Sent> twice = new ArrayList<>();
        sent.forEach(each -> twice.addAll(List.of(each, each)));
        assertThat(receiveAll(receiver, twice)).isEmpty();
        assertThat(receiver.stats().fullGroups()).isEqualTo(200);

        FecReceiver lossy = new FecReceiver(leaks, FecConfig.of(new FecShape(1, 1)).withFixedShape(), FecStream.CONV);
        List<FecStream.Sent> some = new ArrayList<>(sent);
        some.removeIf(each -> each.isData() && each.seqid() % 20 == 10);
        assertThat(receiveAll(lossy, some)).hasSize(20);
    }

    @Test
    void duplicateShardsDoNotCount() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        List<FecStream.Sent> nine = new ArrayList<>(group.subList(0, 9));
        nine.addAll(group.subList(0, 9));
        assertThat(receiveAll(receiver, nine)).isEmpty();
        assertThat(receiver.stats().duplicateShards()).isEqualTo(9);
        assertThat(receiver.receive(group.get(12).bytes())).hasSize(1);
    }

    /** Without a trim, the decoder of a paused session holds up to 4 groups of 254 shards each, 1.5 MiB, until it is released. */
    @Test
    void trimFreesAllShardsAndRecoveryContinues() {
        for (FecShape shape : List.of(SHAPE, new FecShape(128, 127))) {
            ShardPool pool = new ShardPool();
            FecDecoder decoder = new FecDecoder(FecConfig.of(shape).withFixedShape(), FecStream.CONV, pool);
            assertThat(decoder.holdsSpareMemory()).isFalse();
            List<FecStream.Sent> sent = FecStream.of(leaks, shape, 0, 8 * shape.dataShards(), 3);
            for (FecStream.Sent each : sent.subList(0, 4 * shape.totalShards())) {
                if (each.seqid() % shape.totalShards() < shape.dataShards() - 1) {
                    decoder.decode(Unpooled.wrappedBuffer(each.bytes()), 0);
                }
            }
            assertThat(pool.groups().slabs()).isEqualTo(FecDecoder.MAX_GROUPS * (shape.dataShards() - 1));
            assertThat(decoder.holdsSpareMemory()).isTrue();
            decoder.trim();
            assertThat(pool.groups().slabs()).isZero();
            assertThat(decoder.holdsSpareMemory()).isFalse();
            assertThat(decoder.stats().groupsHeld()).isZero();
            int recovered = 0;
            for (FecStream.Sent each : sent.subList(4 * shape.totalShards(), sent.size())) {
                if (each.seqid() % shape.totalShards() != 5) {
                    recovered += decoder.decode(Unpooled.wrappedBuffer(each.bytes()), 2_000);
                }
            }
            assertThat(recovered).isEqualTo(4);
            decoder.release();
        }
    }

    @Test
    void shapeOfShortBurstsIsDetectedAcrossTrims() {
        FecDecoder decoder = new FecDecoder(null, FecStream.CONV, new ShardPool());
        List<FecStream.Sent> sent = stream(60);
        for (int i = 0; i < sent.size(); i++) {
            if (i % 13 == 0) {
                decoder.trim();
            }
            decoder.decode(Unpooled.wrappedBuffer(sent.get(i).bytes()), i / 13 * 1_200);
        }
        assertThat(decoder.shape()).isEqualTo(SHAPE);
        decoder.release();
    }

    @Test
    void discardSamplesReleasesTheShapeDetector() {
        FecDecoder decoder = new FecDecoder(null, FecStream.CONV, new ShardPool());
        decoder.decode(Unpooled.wrappedBuffer(stream(1).get(0).bytes()), 0);
        decoder.trim();
        assertThat(decoder.holdsSpareMemory()).isTrue();
        decoder.discardSamples();
        assertThat(decoder.holdsSpareMemory()).isFalse();
        for (FecStream.Sent each : stream(40)) {
            decoder.decode(Unpooled.wrappedBuffer(each.bytes()), 2_000);
        }
        assertThat(decoder.shape()).isEqualTo(SHAPE);
        decoder.release();
    }

    // ---- Shards that are not of the session

    @Test
    void invalidDataIsNotStored() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        byte[] garbage = new byte[100];
        random.nextBytes(garbage);
        receiver.receive(FecStream.data(0, garbage));
        receiver.receive(FecStream.data(1, FecStream.datagram(FecStream.CONV + 1, 0, random)));
        receiver.receive(FecStream.data(2, Arrays.copyOf(group.get(2).payload(), group.get(2).payload().length - 1)));
        byte[] wrongSize = group.get(3).bytes().clone();
        wrongSize[FecHeader.SIZE_OFFSET]--;
        receiver.receive(wrongSize);
        assertThat(receiver.stats().malformedShards()).isEqualTo(4);
        assertThat(receiver.stats().dataShards()).isZero();
        assertThat(receiveAll(receiver, without(group, 0, 1, 2))).as("the forged shards replaced no genuine ones").hasSize(3);
    }

    @Test
    void otherDatagramsAreIgnored() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, stream(1));
        FecStats before = receiver.stats();
        byte[] oob = FecStream.parity(FecHeader.OOB_SEQID, 40, random);
        oob[FecHeader.TYPE_OFFSET] = (byte) FecHeader.TYPE_OOB;
        assertThat(receiver.receive(oob)).isEmpty();
        assertThat(receiver.receive(FecStream.datagram(FecStream.CONV, 0, random))).as("without header").isEmpty();
        assertThat(receiver.stats()).isEqualTo(before);
        for (int bytes = 0; bytes <= FecHeader.LENGTH; bytes++) {
            assertThat(receiver.receive(new byte[bytes])).isEmpty();
        }
        assertThat(receiver.receive(FecStream.parity(3, 1_507, random))).isEmpty();
        assertThat(receiver.stats().malformedShards()).isEqualTo(10);
        assertThat(receiver.stats().parityShards()).isZero();
    }

    @Test
    void longestShardIsAccepted() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, stream(1));
        receiver.receive(FecStream.parity(12, FecHeader.SIZE_OFFSET + ShardPool.MAX_SHARD_BYTES, random));
        assertThat(receiver.stats().parityShards()).isEqualTo(1);
    }

    @Test
    void seqidFromPawsOnIsIgnored() {
        FecStream stream = new FecStream(leaks, SHAPE, SHAPE.paws() - TOTAL, 1).send(4, 0);
        FecReceiver receiver = receiver();
        receiveAll(receiver, stream.sent());
        for (int seqid = SHAPE.paws(); seqid != 0; seqid++) {
            receiver.receive(FecStream.data(seqid, FecStream.datagram(FecStream.CONV, 0, random)));
            receiver.receive(FecStream.parity(seqid, 40, random));
        }
        assertThat(receiver.stats().farShards()).isEqualTo(2 * 9);
        assertThat(receiver.stats().dataShards()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"10, false", "12, true"})
    void misplacedShardIsNotStored(int seqid, boolean data) {
        FecReceiver receiver = receiver();
        List<FecStream.Sent> group = stream(10);
        receiveAll(receiver, group.subList(0, 1));
        receiver.receive(data ? FecStream.data(seqid, FecStream.datagram(FecStream.CONV, 0, random))
            : FecStream.parity(seqid - TOTAL + 3, 60, random));
        receiver.receive(data ? FecStream.data(seqid, FecStream.datagram(FecStream.CONV, 0, random))
            : FecStream.parity(seqid - 5, 60, random));
        assertThat(receiver.stats().misplacedShards()).isGreaterThanOrEqualTo(1);
        assertThat(receiver.stats().parityShards()).isZero();
        assertThat(receiver.stats().shapeChanges()).isZero();
    }

    // ---- Forged parity

    @Test
    void forgedShardIsNotRecovered() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        receiveAll(receiver, group.subList(0, 9));
        assertThat(receiver.receive(FecStream.parity(10, 120, random))).isEmpty();
        assertThat(receiver.stats().failedReconstructions()).isEqualTo(1);
        assertThat(receiver.stats().recoveredShards()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 11, 12})
    void forgedParityIsExcludedOnceOtherShardsArrive(int forged) {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        receiver.receive(group.get(0).bytes());
        receiver.receive(FecStream.parity(forged, 40, random));
        List<byte[]> recovered = receiveAll(receiver, without(group, 3, 7, forged));
        assertThat(recovered).containsExactly(group.get(3).payload(), group.get(7).payload());
        assertThat(receiver.stats().groupsHeld()).isZero();
    }

    @Test
    void forgedValidDataIsExcluded() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        receiver.receive(group.get(0).bytes());
        receiver.receive(FecStream.data(6, FecStream.datagram(FecStream.CONV, 99, random)));
        List<byte[]> recovered = receiveAll(receiver, without(group, 3));
        assertThat(recovered).as("the lost datagram, and the genuine one that the forged one replaced")
            .containsExactly(group.get(3).payload(), group.get(6).payload());
    }

    @Test
    void parityCopiedFromAnotherGroupIsNotUsed() {
        List<FecStream.Sent> groups = stream(20);
        FecReceiver receiver = receiver();
        byte[] copied = groups.get(11).bytes().clone();
        copied[0] += TOTAL;
        receiveAll(receiver, groups.subList(13, 21));
        assertThat(receiver.receive(copied)).isEmpty();
        assertThat(receiver.receive(groups.get(13 + 10).bytes())).isEmpty();
        assertThat(receiver.receive(groups.get(13 + 12).bytes())).containsExactly(groups.get(21).payload(), groups.get(22).payload());
    }

    @Test
    void attemptsOnAnUnrecoverableGroupAreBounded() {
        FecShape shape = new FecShape(30, 200);
        List<FecStream.Sent> group = FecStream.of(leaks, shape, 0, 30, 1);
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(shape), FecStream.CONV);
        receiveAll(receiver, group.subList(0, 20));
        for (int i = 0; i < 200; i++) {
            receiver.receive(FecStream.parity(30 + i, 100, random));
        }
        assertThat(receiver.stats().failedReconstructions()).isBetween(10L, 64L);
        assertThat(receiver.stats().recoveredShards()).isZero();
    }

    // ---- The position of the sender

    @Test
    void nothingIsNearBeforeTheFirstData() {
        FecReceiver receiver = receiver();
        assertThat(receiver.decoder.isNear(0)).isFalse();
        receiver.receive(FecStream.parity(10, 60, random));
        assertThat(receiver.decoder.isNear(10)).as("parity does not contain a session id").isFalse();
        assertThat(receiver.stats().farShards()).isEqualTo(1);
    }

    @Test
    void eightGroupsAroundTheNewestAreNear() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, FecStream.of(leaks, SHAPE, 100 * TOTAL, 1, 1));
        assertThat(receiver.decoder.isNear(92 * TOTAL)).isTrue();
        assertThat(receiver.decoder.isNear(92 * TOTAL - 1)).isFalse();
        assertThat(receiver.decoder.isNear(109 * TOTAL - 1)).isTrue();
        assertThat(receiver.decoder.isNear(109 * TOTAL)).isFalse();
        assertThat(receiver.decoder.isNear(-1)).isFalse();
    }

    @Test
    void nearnessExtendsAcrossPaws() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, FecStream.of(leaks, SHAPE, SHAPE.paws() - TOTAL, 1, 1));
        assertThat(receiver.decoder.isNear(0)).isTrue();
        assertThat(receiver.decoder.isNear(8 * TOTAL - 1)).isTrue();
        assertThat(receiver.decoder.isNear(8 * TOTAL)).isFalse();
        assertThat(receiver.decoder.isNear(SHAPE.paws())).isFalse();
    }

    @Test
    void groupIsKeptUntilTheNewestIsFourAhead() {
        List<FecStream.Sent> sent = stream(60);
        for (int ahead = 1; ahead <= 5; ahead++) {
            FecReceiver receiver = receiver();
            receiveAll(receiver, sent.subList(0, 9));
            receiver.receive(sent.get(ahead * TOTAL).bytes());
            assertThat(receiver.receive(sent.get(10).bytes())).as("newest %d after it", ahead).hasSize(ahead <= 3 ? 1 : 0);
        }
    }

    @Test
    void farSeqidChangesNothing() {
        List<FecStream.Sent> sent = stream(10);
        FecReceiver receiver = receiver();
        receiveAll(receiver, sent.subList(0, 9));
        receiver.receive(FecStream.data(1_000_000_000, FecStream.datagram(FecStream.CONV, 0, random)));
        receiver.receive(FecStream.parity(1_000_000_000, 60, random));
        assertThat(receiver.stats().farShards()).isEqualTo(2);
        assertThat(receiver.receive(sent.get(10).bytes())).hasSize(1);
    }

    @Test
    void forgedParityDoesNotMoveTheWindow() {
        List<FecStream.Sent> sent = stream(10);
        FecReceiver receiver = receiver();
        receiveAll(receiver, sent.subList(0, 9));
        for (int seqid = TOTAL; seqid < 40 * TOTAL; seqid++) {
            receiver.receive(FecStream.parity(seqid, 60, random));
        }
        assertThat(receiver.stats().groupsHeld()).isLessThanOrEqualTo(4);
        assertThat(receiver.receive(sent.get(10).bytes())).hasSize(1);
    }

    @Test
    void threeConsecutiveDistantShardsMoveTheWindow() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, stream(5));
        List<FecStream.Sent> elsewhere = FecStream.of(leaks, SHAPE, 500 * TOTAL, 10, 2);
        receiver.receive(elsewhere.get(0).bytes());
        receiver.receive(elsewhere.get(0).bytes());
        receiver.receive(elsewhere.get(1).bytes());
        receiver.receive(elsewhere.get(0).bytes());
        assertThat(receiver.decoder.isNear(500 * TOTAL)).as("two distant shards, each received twice").isFalse();
        receiver.receive(elsewhere.get(2).bytes());
        assertThat(receiver.decoder.isNear(500 * TOTAL)).isTrue();
        assertThat(receiver.stats().groupsHeld()).as("the old groups are discarded").isEqualTo(1);
    }

    @Test
    void scatteredDistantShardsDoNotMoveTheWindow() {
        FecReceiver receiver = receiver();
        List<FecStream.Sent> sent = stream(10);
        receiveAll(receiver, sent.subList(0, 9));
        for (int i = 1; i <= 50; i++) {
            receiver.receive(FecStream.data(i * 1_000_000, FecStream.datagram(FecStream.CONV, i, random)));
        }
        assertThat(receiver.receive(sent.get(10).bytes())).hasSize(1);
    }

    @Test
    void nearDataResetsTheCountOfDistantShards() {
        FecReceiver receiver = receiver();
        List<FecStream.Sent> sent = stream(60).stream().filter(FecStream.Sent::isData).toList();
        receiver.receive(sent.get(0).bytes());
        for (int i = 0; i < 20; i++) {
            receiver.receive(FecStream.data(700 * TOTAL + i % 10, FecStream.datagram(FecStream.CONV, i, random)));
            receiver.receive(FecStream.data(700 * TOTAL + i % 10 + TOTAL, FecStream.datagram(FecStream.CONV, i, random)));
            receiver.receive(sent.get(1 + i).bytes());
        }
        assertThat(receiver.decoder.isNear(700 * TOTAL)).isFalse();
    }

    @Test
    void restartedPeerIsFollowed() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, FecStream.of(leaks, SHAPE, 0, 200, 1));
        List<FecStream.Sent> anew = FecStream.of(leaks, SHAPE, 0, 200, 2);
        anew.removeIf(each -> each.seqid() % TOTAL == 7);
        assertThat(receiveAll(receiver, anew)).hasSizeGreaterThanOrEqualTo(19);
    }

    // ---- Other rules

    @Test
    void copiedShardIsDecodedAfterTheDatagramChanged() {
        List<FecStream.Sent> group = stream(10);
        FecReceiver receiver = receiver();
        FecEncoder reply = new FecEncoder(FecConfig.of(new FecShape(1, 1)), receiver.pool);
        int recovered = 0;
        for (FecStream.Sent each : without(group, 1, 5)) {
            ByteBuf buffer = leaks.allocator().buffer(400).writeBytes(each.bytes());
            int length = receiver.pool.copyIn(buffer);
            buffer.setZero(0, buffer.writerIndex());
            reply.encode(buffer.clear().writeZero(200).readerIndex(8), 0);
            buffer.release();
            recovered += receiver.decoder.decodeCopied(length, 0);
        }
        assertThat(recovered).isEqualTo(2);
    }

    @Test
    void recoveredDatagramsAreReadableUntilTheNextShard() {
        List<FecStream.Sent> group = stream(20);
        FecReceiver receiver = receiver();
        assertThat(receiveAll(receiver, without(group.subList(0, 11), 2))).hasSize(1);
        ByteBuf out = Unpooled.buffer();
        receiver.decoder.readRecovered(0, out);
        assertThat(FecReceiver.bytes(out)).isEqualTo(group.get(2).payload());
        assertThatThrownBy(() -> receiver.decoder.recoveredBytes(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> receiver.decoder.readRecovered(-1, out)).isInstanceOf(IndexOutOfBoundsException.class);
        receiver.receive(group.get(13).bytes());
        assertThatThrownBy(() -> receiver.decoder.recoveredBytes(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void releaseFreesAllSlabs() {
        FecReceiver receiver = receiver();
        receiveAll(receiver, without(stream(20), 1, 2, 3, 4, 14, 15, 16, 17));
        assertThat(receiver.stats().groupsHeld()).isEqualTo(2);
        assertThat(receiver.pool.slabs().kept() % 16).isNotZero();
        receiver.decoder.release();
        assertThat(receiver.pool.slabs().kept() % 16).isZero();
        assertThat(receiver.stats().groupsHeld()).isZero();
    }

    @Test
    void countsAddUp() {
        FecStats one = new FecStats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        assertThat(one.plus(one)).isEqualTo(new FecStats(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24));
        assertThat(one.plus(FecStats.ZERO)).isEqualTo(one);
    }

    private FecReceiver receiver() {
        return new FecReceiver(leaks, FecConfig.of(SHAPE).withFixedShape(), FecStream.CONV);
    }

    private List<FecStream.Sent> stream(int datagrams) {
        return FecStream.of(leaks, SHAPE, 0, datagrams, 1);
    }

    private static List<FecStream.Sent> without(List<FecStream.Sent> sent, int... lost) {
        List<FecStream.Sent> rest = new ArrayList<>(sent);
        rest.removeIf(each -> Arrays.stream(lost).anyMatch(seqid -> seqid == each.seqid()));
        return rest;
    }

    private static List<byte[]> receiveAll(FecReceiver receiver, List<FecStream.Sent> arrived) {
        List<byte[]> recovered = new ArrayList<>();
        arrived.forEach(each -> recovered.addAll(receiver.receive(each.bytes())));
        return recovered;
    }
}
