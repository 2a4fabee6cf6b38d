package io.kcp.core.fec;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A stream of datagrams of one length, whose shape may change. */
final class EqualDatagrams {

    private static final int PAYLOAD_BYTES = 40;

    private final LeakCheck leaks;
    private final Random random;
    private final List<FecStream.Sent> sent = new ArrayList<>();
    private final Set<String> genuine = new HashSet<>();
    private int sn;

    EqualDatagrams(LeakCheck leaks, Random random) {
        this.leaks = leaks;
        this.random = random;
    }

    void send(FecShape shape, int firstSeqid, int datagrams) {
        FecSender sender = new FecSender(leaks, FecConfig.of(shape), firstSeqid);
        for (int i = 0; i < datagrams; i++) {
            ByteBuf buffer = Unpooled.buffer(SegmentHeader.LENGTH + PAYLOAD_BYTES);
            byte[] content = new byte[PAYLOAD_BYTES];
            random.nextBytes(content);
            SegmentHeader.write(buffer, FecStream.CONV, SegmentHeader.CMD_PUSH, 0, 128, 7_000 + sn, sn++, 3, content.length);
            byte[] payload = Arrays.copyOf(buffer.writeBytes(content).array(), buffer.writerIndex());
            genuine.add(Arrays.toString(payload));
            List<byte[]> out = sender.send(payload, 0);
            sent.add(new FecStream.Sent(out.get(0), payload));
            out.subList(1, out.size()).forEach(parity -> sent.add(new FecStream.Sent(parity, null)));
        }
    }

    List<FecStream.Sent> sent() {
        return sent;
    }

    int lastSeqid() {
        return sent.get(sent.size() - 1).seqid();
    }

    boolean isGenuine(String datagram) {
        return genuine.contains(datagram);
    }
}
