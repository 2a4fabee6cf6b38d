package io.kcp.core.fec;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The datagrams of a sender with FEC, generated from a seed, and those datagrams that can be recovered. */
final class FecStream {

    static final int CONV = 0x4b43_5031;

    /** One datagram on the wire; parity has no payload. */
    record Sent(byte[] bytes, byte[] payload) {

        boolean isData() {
            return payload != null;
        }

        int seqid() {
            return FecHeader.seqid(Unpooled.wrappedBuffer(bytes), 0);
        }
    }

    private final FecSender sender;
    private final Random random;
    private final List<Sent> sent = new ArrayList<>();
    private int sn;

    FecStream(LeakCheck leaks, FecShape shape, int firstSeqid, long seed) {
        this(leaks, firstSeqid, seed, FecConfig.of(shape));
    }

    FecStream(LeakCheck leaks, int firstSeqid, long seed, FecConfig config) {
        sender = new FecSender(leaks, config, firstSeqid);
        random = new Random(seed);
    }

    static List<Sent> of(LeakCheck leaks, FecShape shape, int firstSeqid, int datagrams, long seed) {
        return new FecStream(leaks, shape, firstSeqid, seed).send(datagrams, 0).sent();
    }

    FecSender sender() {
        return sender;
    }

    FecStream send(int datagrams, int nowMs) {
        for (int i = 0; i < datagrams; i++) {
            byte[] payload = datagram(CONV, sn++, random);
            List<byte[]> out = sender.send(payload, nowMs);
            sent.add(new Sent(out.get(0), payload));
            out.subList(1, out.size()).forEach(parity -> sent.add(new Sent(parity, null)));
        }
        return this;
    }

    List<Sent> sent() {
        return sent;
    }

    /** Returns a datagram of one or two segments. */
    static byte[] datagram(int conv, int sn, Random random) {
        ByteBuf buffer = Unpooled.buffer(300);
        for (int segments = 1 + random.nextInt(2); segments > 0; segments--) {
            byte[] payload = new byte[random.nextInt(90)];
            random.nextBytes(payload);
            SegmentHeader.write(buffer, conv, SegmentHeader.CMD_PUSH, 0, 128, 7_000 + sn, sn, 3, payload.length);
            buffer.writeBytes(payload);
        }
        return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    }

    static byte[] parity(int seqid, int bytes, Random random) {
        byte[] content = new byte[bytes - FecHeader.SIZE_OFFSET];
        random.nextBytes(content);
        ByteBuf buffer = Unpooled.buffer(bytes);
        FecHeader.writeParity(buffer, seqid);
        return buffer.writeBytes(content).array();
    }

    static byte[] data(int seqid, byte[] payload) {
        ByteBuf buffer = Unpooled.buffer(FecHeader.LENGTH + payload.length).writerIndex(FecHeader.LENGTH).writeBytes(payload);
        FecHeader.setData(buffer, 0, seqid, payload.length);
        return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    }

    /** Returns the seqids of lost data in groups of which enough shards arrived. */
    static Set<Integer> recoverable(FecShape shape, List<Sent> sent, List<Sent> arrived) {
        Map<Integer, Set<Integer>> arrivedOf = new HashMap<>();
        for (Sent each : arrived) {
            arrivedOf.computeIfAbsent(Integer.divideUnsigned(each.seqid(), shape.totalShards()), id -> new HashSet<>()).add(each.seqid());
        }
        Set<Integer> recoverable = new HashSet<>();
        for (Sent each : sent) {
            Set<Integer> group = arrivedOf.getOrDefault(Integer.divideUnsigned(each.seqid(), shape.totalShards()), Set.of());
            if (each.isData() && group.size() >= shape.dataShards() && !group.contains(each.seqid())) {
                recoverable.add(each.seqid());
            }
        }
        return recoverable;
    }
}
