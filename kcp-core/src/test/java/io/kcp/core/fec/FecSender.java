package io.kcp.core.fec;

import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Passes byte arrays to an encoder. */
final class FecSender {

    private static final int HEADROOM = 20;

    final ShardPool pool = new ShardPool();
    final FecEncoder encoder;
    private final LeakCheck leaks;

    FecSender(LeakCheck leaks, FecConfig config, int firstSeqid) {
        this.leaks = leaks;
        encoder = new FecEncoder(config, pool, firstSeqid);
    }

    /** Returns the encoded datagram and the parity that follows it. */
    List<byte[]> send(byte[] payload, int nowMs) {
        ByteBuf buffer = leaks.allocator().buffer(HEADROOM + payload.length).writerIndex(HEADROOM).readerIndex(HEADROOM);
        buffer.writeBytes(payload);
        List<byte[]> sent = new ArrayList<>();
        int parity = encoder.encode(buffer, nowMs);
        sent.add(FecReceiver.bytes(buffer));
        buffer.release();
        for (int i = 0; i < parity; i++) {
            ByteBuf out = leaks.allocator().buffer(encoder.parityBytes(), encoder.parityBytes());
            encoder.writeParity(i, out);
            sent.add(FecReceiver.bytes(out));
            out.release();
        }
        return sent;
    }

    List<String> hex(String payload) {
        return send(HexFormat.of().parseHex(payload), 0).stream().map(HexFormat.of()::formatHex).toList();
    }
}
