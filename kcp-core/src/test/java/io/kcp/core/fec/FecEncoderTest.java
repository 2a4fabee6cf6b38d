package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FecEncoderTest {

    private static final byte[] PAYLOAD = {1, 2, 3, 4};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @Test
    void headerIsWrittenBeforeTheDatagramInPlace() {
        FecEncoder encoder = new FecEncoder(FecConfig.of(new FecShape(10, 3)), new ShardPool());
        ByteBuf datagram = leaks.allocator().buffer().writeZero(28).writeBytes(PAYLOAD).readerIndex(28);
        assertThat(encoder.encode(datagram, 0)).isZero();
        assertThat(datagram.readerIndex()).isEqualTo(20);
        assertThat(FecReceiver.bytes(datagram)).containsExactly(0, 0, 0, 0, 0xf1, 0, 6, 0, 1, 2, 3, 4);
        assertThat(encoder.parityBytes()).isZero();
        datagram.release();
        encoder.release();
    }

    @Test
    void parityFollowsTheLastDatagramOfAGroup() {
        FecSender sender = sender(3, 2, 0);
        assertThat(counts(sender, 0, 0, 0, 0, 0, 0, 0)).containsExactly(1, 1, 3, 1, 1, 3, 1);
        assertThat(sender.encoder.paritySent()).isEqualTo(4);
    }

    @Test
    void parityIsAsLongAsTheLongestDatagram() {
        FecSender sender = sender(2, 1, 0);
        sender.send(new byte[40], 0);
        assertThat(sender.send(new byte[3], 0).get(1)).hasSize(FecHeader.LENGTH + 40);
        sender.send(new byte[3], 0);
        assertThat(sender.send(new byte[5], 0).get(1)).as("the length of the next group").hasSize(FecHeader.LENGTH + 5);
    }

    @Test
    void onlyTheGapBeforeTheLastDatagramCounts() {
        assertThat(counts(sender(3, 2, 0), 0, 499, 998)).containsExactly(1, 1, 3);
        assertThat(counts(sender(3, 2, 0), 0, 0, 499)).containsExactly(1, 1, 3);
        assertThat(counts(sender(3, 2, 0), 0, 0, 500)).containsExactly(1, 1, 1);
        assertThat(counts(sender(3, 2, 0), 0, 5_000, 5_001)).containsExactly(1, 1, 3);
    }

    @Test
    void omittedParityKeepsItsSeqids() {
        FecSender sender = sender(2, 2, 0);
        assertThat(seqids(sender, 0, 600, 600, 600)).containsExactly("0", "1", "4", "5", "6", "7");
        assertThat(sender.encoder.paritySkipped()).isEqualTo(2);
        assertThat(sender.encoder.paritySent()).isEqualTo(2);
    }

    @Test
    void firstDatagramAloneGetsNoParity() {
        assertThat(seqids(sender(1, 1, 0), 0, 0)).containsExactly("0", "2", "3");
    }

    @Test
    void gapsAreMeasuredAcrossTheWrapOfTheClock() {
        assertThat(counts(sender(2, 1, 0), -10, 20)).containsExactly(1, 2);
        assertThat(counts(sender(2, 1, 0), -10, 490)).containsExactly(1, 1);
    }

    @Test
    void seqidsWrapAtPaws() {
        int first = new FecShape(3, 2).paws() - 5;
        assertThat(seqids(sender(3, 2, first), 0, 0, 0, 0)).containsExactly("4294967290", "4294967291", "4294967292", "4294967293",
            "4294967294", "0");
        int last = new FecShape(10, 3).paws() - 13;
        assertThat(seqids(sender(10, 3, last), 0, 0, 0, 0, 0, 0, 0, 0, 0, 900, 900))
            .as("parity omitted before the wrap").endsWith("4294967283", "0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12, -1, -9})
    void invalidFirstSeqidIsRejected(int first) {
        assertThatThrownBy(() -> sender(10, 3, first)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Integer.toUnsignedString(first));
    }

    @Test
    void invalidDatagramIsRejectedAndChangesNothing() {
        FecSender sender = sender(2, 1, 0);
        ByteBuf noRoom = Unpooled.buffer(100).writerIndex(50).readerIndex(7);
        assertThatThrownBy(() -> sender.encoder.encode(noRoom, 0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("7");
        ByteBuf tooLong = Unpooled.buffer(1_600).writerIndex(8 + 1_499).readerIndex(8);
        assertThatThrownBy(() -> sender.encoder.encode(tooLong, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("1499");
        assertThat(seqids(sender, 0, 0)).containsExactly("0", "1", "2");
        assertThat(sender.send(new byte[1_498], 0)).as("the longest").hasSize(1);
    }

    @Test
    void parityIsWrittenOnceBeforeTheNextDatagram() {
        FecEncoder encoder = new FecEncoder(FecConfig.of(new FecShape(1, 2)), new ShardPool());
        ByteBuf datagram = Unpooled.buffer().writeZero(8).writeBytes(PAYLOAD);
        encoder.encode(datagram.readerIndex(8), 0);
        assertThat(encoder.encode(datagram.readerIndex(8), 0)).isEqualTo(2);
        ByteBuf out = Unpooled.buffer();
        encoder.writeParity(1, out);
        assertThatThrownBy(() -> encoder.writeParity(1, out)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> encoder.writeParity(2, out)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> encoder.writeParity(-1, out)).isInstanceOf(IllegalStateException.class);
        encoder.encode(datagram.readerIndex(8), 500);
        assertThatThrownBy(() -> encoder.writeParity(0, out)).as("unwritten parity is discarded").isInstanceOf(IllegalStateException.class);
        assertThat(encoder.paritySent()).isEqualTo(1);
    }

    @Test
    void noMemoryIsHeldBetweenGroups() {
        FecSender sender = sender(3, 2, 0);
        assertThat(sender.pool.slabs().kept()).as("no slab has been allocated yet").isZero();
        counts(sender, 0, 0, 0);
        int all = sender.pool.slabs().kept();
        assertThat(all).as("all slabs are released at the end of a group").isPositive();
        counts(sender, 0);
        assertThat(sender.pool.slabs().kept()).isEqualTo(all - 1);
        sender.encoder.release();
        assertThat(sender.pool.slabs().kept()).isEqualTo(all);
    }

    @Test
    void abandonedGroupHoldsNoMemory() {
        FecSender sender = sender(3, 2, 0);
        assertThat(sender.encoder.holdsGroup()).isFalse();
        assertThat(seqids(sender, 0, 0)).containsExactly("0", "1");
        assertThat(sender.encoder.holdsGroup()).isTrue();
        sender.encoder.abandonGroup();
        assertThat(sender.encoder.holdsGroup()).isFalse();
        assertThat(sender.pool.slabs().kept()).isEqualTo(16);
        sender.encoder.abandonGroup();
        assertThat(sender.encoder.paritySkipped()).isEqualTo(2);
        assertThat(seqids(sender, 1_000, 1_000, 1_000, 1_000)).containsExactly("5", "6", "7", "8", "9", "10");
    }

    @Test
    void abandonedGroupAtPawsWraps() {
        FecSender sender = sender(10, 3, new FecShape(10, 3).paws() - 13);
        assertThat(seqids(sender, 0)).containsExactly("4294967274");
        sender.encoder.abandonGroup();
        assertThat(seqids(sender, 1_000)).containsExactly("0");
    }

    /** The sender sends bursts that end within a group and are followed by pauses. The first datagram of each full group is lost. */
    @Test
    void decodersTreatAnAbandonedGroupAsLoss() {
        FecShape shape = new FecShape(3, 2);
        FecSender sender = sender(3, 2, 0);
        FecReceiver ours = new FecReceiver(leaks, FecConfig.of(shape), 1);
        KcpGoFecReceiver theirs = new KcpGoFecReceiver(shape);
        int recoveredByOurs = 0;
        int recoveredByTheirs = 0;
        for (int burst = 0; burst < 100; burst++) {
            int nowMs = burst * 1_000;
            List<byte[]> datagrams = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                datagrams.addAll(sender.send(kcpDatagram(burst * 8 + i), nowMs));
            }
            sender.encoder.abandonGroup();
            for (int i = 0; i < datagrams.size(); i++) {
                // Each burst consists of two groups of five and two single datagrams. Once the shape is confirmed, the first datagram of
                // each group is lost.
                if (burst < 5 || i % 5 != 0 || i >= 10) {
                    recoveredByOurs += ours.receive(datagrams.get(i), nowMs).size();
                    recoveredByTheirs += theirs.receive(datagrams.get(i)).size();
                }
            }
        }
        assertThat(recoveredByOurs).isEqualTo(190);
        assertThat(recoveredByTheirs).isEqualTo(190);
        ours.decoder.release();
    }

    private static byte[] kcpDatagram(int sn) {
        ByteBuf datagram = Unpooled.buffer();
        SegmentHeader.write(datagram, 1, SegmentHeader.CMD_PUSH, 0, 128, 0, sn, 0, 4);
        return FecReceiver.bytes(datagram.writeBytes(PAYLOAD));
    }

    @Test
    void unwrittenParityIsFreed() {
        ShardPool pool = new ShardPool();
        FecEncoder encoder = new FecEncoder(FecConfig.of(new FecShape(2, 3)), pool);
        ByteBuf datagram = Unpooled.buffer().writeZero(8).writeBytes(PAYLOAD);
        for (int i = 0; i < 100; i++) {
            encoder.encode(datagram.readerIndex(8), 0);
        }
        encoder.release();
        assertThat(pool.slabs().kept()).isEqualTo(16);
    }

    @Test
    void longerEarlierGroupsDoNotAffectParity() {
        FecSender fresh = sender(3, 2, 0);
        FecSender used = sender(3, 2, 0);
        Random random = new Random(5);
        byte[] junk = new byte[1_400];
        random.nextBytes(junk);
        for (int i = 0; i < 3; i++) {
            used.send(junk, 0);
        }
        for (int i = 0; i < 30; i++) {
            byte[] payload = new byte[1 + random.nextInt(60)];
            random.nextBytes(payload);
            List<byte[]> expected = fresh.send(payload, 0);
            List<byte[]> actual = used.send(payload, 0);
            for (int k = 0; k < expected.size(); k++) {
                assertThat(ShardBytes.shard(actual.get(k))).isEqualTo(ShardBytes.shard(expected.get(k)));
            }
        }
    }

    private FecSender sender(int dataShards, int parityShards, int firstSeqid) {
        return new FecSender(leaks, FecConfig.of(new FecShape(dataShards, parityShards)), firstSeqid);
    }

    private static List<Integer> counts(FecSender sender, int... times) {
        List<Integer> counts = new ArrayList<>();
        for (int time : times) {
            counts.add(sender.send(PAYLOAD, time).size());
        }
        return counts;
    }

    private static List<String> seqids(FecSender sender, int... times) {
        List<String> seqids = new ArrayList<>();
        for (int time : times) {
            for (byte[] datagram : sender.send(PAYLOAD, time)) {
                seqids.add(Integer.toUnsignedString(FecHeader.seqid(Unpooled.wrappedBuffer(datagram), 0)));
            }
        }
        return seqids;
    }
}
