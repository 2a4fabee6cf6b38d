package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The code preserves bytes that are equal in all shards of a group, so a shard recovered with a wrong shape may have the right
 * conversation, command and length. Such shards must not be delivered.
 */
@Timeout(120)
class FecGeometryTest {

    private static final int CONV = 0x11223344;
    private static final int PAYLOAD_BYTES = 200;
    private static final List<String> SHAPES =
        List.of("10:3", "3:1", "9:4", "20:6", "4:1", "9:1", "7:1", "3:5", "1:1", "2:2", "5:2", "3:2", "20:5", "9:3");

    private final ShardPool pool = new ShardPool();
    private int wrong;
    private int recovered;

    @Test
    @Tag("slow")
    void onlySentDatagramsAreRecovered() {
        for (long seed = 1; seed <= 10; seed++) {
            for (String ours : SHAPES) {
                for (String theirs : SHAPES) {
                    run(FecConfig.of(FecShape.parse(ours)), FecShape.parse(theirs), null, seed);
                }
            }
        }
        System.out.println("recovered " + recovered + ", of them never sent " + wrong);
        assertThat(wrong).isZero();
        assertThat(recovered).isGreaterThan(40_000);
    }

    @Test
    void onlySentDatagramsAreRecoveredWhenTheShapeChanges() {
        for (long seed = 1; seed <= 10; seed++) {
            for (String first : SHAPES) {
                for (String second : SHAPES) {
                    run(null, FecShape.parse(first), FecShape.parse(second), seed);
                }
            }
        }
        System.out.println("recovered " + recovered + ", of them never sent " + wrong);
        assertThat(wrong).isZero();
    }

    private void run(@Nullable FecConfig config, FecShape shape, @Nullable FecShape later, long seed) {
        int wrongBefore = wrong;
        SplittableRandom random = new SplittableRandom(seed);
        FecDecoder decoder = new FecDecoder(config, CONV, pool);
        FecEncoder encoder = new FecEncoder(FecConfig.of(shape), pool);
        Set<String> sent = new HashSet<>();
        int nextSeqid = 0;
        for (int sn = 0; sn < 300; sn++) {
            if (later != null && sn == 150) {
                encoder.release();
                // The distance is so large that the decoder must detect the position of the sender again.
                int total = later.totalShards();
                int first = nextSeqid + 10 * Math.max(total, shape.totalShards());
                encoder = new FecEncoder(FecConfig.of(later), pool, (first + total) / total * total);
            }
            for (ByteBuf datagram : send(encoder, sn, random, sent)) {
                nextSeqid = FecHeader.seqid(datagram, datagram.readerIndex());
                int count = random.nextInt(100) < 15 ? 0 : decoder.decode(datagram, sn);
                for (int i = 0; i < count; i++) {
                    ByteBuf out = Unpooled.buffer();
                    decoder.readRecovered(i, out);
                    recovered++;
                    wrong += sent.contains(ByteBufUtil.hexDump(out)) ? 0 : 1;
                }
            }
        }
        if (wrong > wrongBefore) {
            System.out.println("seed " + seed + ", ours " + config + ", theirs " + shape + ", later " + later + ": "
                + (wrong - wrongBefore) + " never sent; " + decoder.stats());
        }
        decoder.release();
        encoder.release();
    }

    private static List<ByteBuf> send(FecEncoder encoder, int sn, SplittableRandom random, Set<String> sent) {
        byte[] payload = new byte[PAYLOAD_BYTES];
        random.nextBytes(payload);
        ByteBuf datagram = Unpooled.buffer(2_000).setIndex(FecHeader.LENGTH, FecHeader.LENGTH);
        SegmentHeader.write(datagram, CONV, SegmentHeader.CMD_PUSH, 0, 128, 1_000 + sn, sn, 7, PAYLOAD_BYTES);
        datagram.writeBytes(payload);
        sent.add(ByteBufUtil.hexDump(datagram));
        List<ByteBuf> datagrams = new ArrayList<>();
        int parity = encoder.encode(datagram, sn);
        datagrams.add(datagram);
        for (int i = 0; i < parity; i++) {
            ByteBuf shard = Unpooled.buffer(encoder.parityBytes());
            encoder.writeParity(i, shard);
            datagrams.add(shard);
        }
        return datagrams;
    }
}
