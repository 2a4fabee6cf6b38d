package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecDecoder;
import io.kcp.core.fec.FecEncoder;
import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.kcp.core.fec.ShardPool;
import io.kcp.testkit.CountingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decodes both directions of a recorded session between a kcp-go client and server over a lossy relay, without a cipher. */
class FecRecordedSessionTest {

    private static final int HEADROOM = 20;

    private final CountingAllocator buffers = new CountingAllocator(false);

    private record Seen(int atMs, boolean dropped, byte[] bytes) {

        int seqid() {
            return FecHeader.seqid(Unpooled.wrappedBuffer(bytes), 0);
        }

        int type() {
            return FecHeader.type(Unpooled.wrappedBuffer(bytes), 0);
        }

        byte[] payload() {
            return Arrays.copyOfRange(bytes, FecHeader.LENGTH, bytes.length);
        }
    }

    @AfterEach
    void allBuffersAreReleased() {
        assertThat(buffers.outstandingBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"fec10x3-loss10, c, 10:3", "fec10x3-loss10, s, 10:3", "fec3x1-oob-loss5, c, 3:1", "fec3x1-oob-loss5, s, 3:1"})
    void datagramsDroppedByTheRelayAreRecovered(String name, String side, String text) {
        FecShape shape = FecShape.parse(text);
        RecordedSession session = RecordedSession.load(name);
        List<Seen> seen = datagrams(session, side);
        Map<Integer, Integer> arrivedOf = new TreeMap<>();
        Set<String> dropped = new HashSet<>();
        for (Seen each : seen) {
            if (!each.dropped() && each.type() != FecHeader.TYPE_OOB) {
                arrivedOf.merge(each.seqid() / shape.totalShards(), 1, Integer::sum);
            }
        }
        for (Seen each : seen) {
            if (each.dropped() && each.type() == FecHeader.TYPE_DATA
                && arrivedOf.getOrDefault(each.seqid() / shape.totalShards(), 0) >= shape.dataShards()) {
                dropped.add(HexFormat.of().formatHex(each.payload()));
            }
        }
        for (FecConfig config : new FecConfig[] {FecConfig.of(shape), FecConfig.of(new FecShape(2, 2)), null}) {
            FecDecoder decoder = new FecDecoder(config, session.conv(), new ShardPool());
            Set<String> recovered = new HashSet<>();
            for (Seen each : seen) {
                if (!each.dropped()) {
                    decode(decoder, each).forEach(bytes -> recovered.add(HexFormat.of().formatHex(bytes)));
                }
            }
            boolean known = config != null && config.shape().equals(shape);
            if (known) {
                assertThat(recovered).containsExactlyInAnyOrderElementsOf(dropped).isNotEmpty();
            } else {
                assertThat(dropped).containsAll(recovered);
                assertThat(decoder.shape()).isEqualTo(shape);
            }
            assertThat(decoder.stats().malformedShards()).isZero();
            assertThat(decoder.stats().failedReconstructions()).as("by a wrong guess only").matches(failed -> failed == 0 || !known);
        }
    }

    @ParameterizedTest
    @CsvSource({"fec10x3-loss10, c, 10:3", "fec10x3-loss10, s, 10:3", "fec3x1-oob-loss5, c, 3:1", "fec3x1-oob-loss5, s, 3:1"})
    void parityHasTheBytesOfKcpGo(String name, String side, String text) {
        FecShape shape = FecShape.parse(text);
        Map<Integer, Seen> sent = new TreeMap<>();
        datagrams(RecordedSession.load(name), side).stream().filter(each -> each.type() != FecHeader.TYPE_OOB)
            .forEach(each -> sent.put(each.seqid(), each));
        FecEncoder encoder = new FecEncoder(FecConfig.of(shape), new ShardPool());
        int groups = 0;
        for (int first = 0; sent.containsKey(first + shape.totalShards() - 1); first += shape.totalShards()) {
            List<byte[]> ours = new ArrayList<>();
            for (int i = 0; i < shape.dataShards(); i++) {
                ours.addAll(encode(encoder, sent.get(first + i).payload()));
            }
            assertThat(ours).hasSize(shape.totalShards());
            for (int i = 0; i < shape.totalShards(); i++) {
                assertThat(ours.get(i)).isEqualTo(sent.get(first + i).bytes());
            }
            groups++;
        }
        assertThat(groups).isGreaterThan(3);
    }

    /** Returns the framed datagram and the parity after it. */
    private List<byte[]> encode(FecEncoder encoder, byte[] payload) {
        ByteBuf datagram = buffers.buffer(HEADROOM + payload.length).setIndex(HEADROOM, HEADROOM).writeBytes(payload);
        int parity = encoder.encode(datagram, 0);
        List<byte[]> sent = new ArrayList<>();
        sent.add(takeBytes(datagram));
        for (int i = 0; i < parity; i++) {
            ByteBuf out = buffers.buffer(encoder.parityBytes());
            encoder.writeParity(i, out);
            sent.add(takeBytes(out));
        }
        return sent;
    }

    /** Returns the datagrams that a received datagram recovers. */
    private List<byte[]> decode(FecDecoder decoder, Seen received) {
        ByteBuf shard = buffers.buffer(received.bytes().length).writeBytes(received.bytes());
        int count = decoder.decode(shard, received.atMs());
        shard.release();
        List<byte[]> recovered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ByteBuf out = buffers.buffer(decoder.recoveredBytes(i));
            decoder.readRecovered(i, out);
            recovered.add(takeBytes(out));
        }
        return recovered;
    }

    private static byte[] takeBytes(ByteBuf buffer) {
        byte[] bytes = ByteBufUtil.getBytes(buffer);
        buffer.release();
        return bytes;
    }

    private static List<Seen> datagrams(RecordedSession session, String side) {
        return session.datagrams().stream().filter(datagram -> datagram.fromClient() == side.equals("c"))
            .map(datagram -> new Seen(datagram.atMs(), datagram.dropped(), datagram.bytes())).toList();
    }
}
