package io.kcp.core.fec;

import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes byte arrays to a decoder. */
final class FecReceiver {

    final ShardPool pool = new ShardPool();
    final FecDecoder decoder;
    private final LeakCheck leaks;

    FecReceiver(LeakCheck leaks, @Nullable FecConfig config, int conv) {
        this.leaks = leaks;
        decoder = new FecDecoder(config, conv, pool);
    }

    /** Passes a datagram to the decoder and returns the datagrams that were recovered. */
    List<byte[]> receive(byte[] datagram, int nowMs) {
        ByteBuf buffer = leaks.allocator().buffer(1 + datagram.length).writerIndex(1).readerIndex(1).writeBytes(datagram);
        List<byte[]> recovered = new ArrayList<>();
        int count = decoder.decode(buffer, nowMs);
        if (buffer.readerIndex() != 1 || !Arrays.equals(bytes(buffer), datagram)) {
            throw new AssertionError("the datagram was changed");
        }
        buffer.release();
        for (int i = 0; i < count; i++) {
            ByteBuf out = leaks.allocator().buffer(decoder.recoveredBytes(i), decoder.recoveredBytes(i));
            decoder.readRecovered(i, out);
            recovered.add(bytes(out));
            out.release();
        }
        return recovered;
    }

    List<byte[]> receive(byte[] datagram) {
        return receive(datagram, 0);
    }

    List<byte[]> receive(String hex) {
        return receive(HexFormat.of().parseHex(hex));
    }

    FecStats stats() {
        return decoder.stats();
    }

    static byte[] bytes(ByteBuf buffer) {
        return ByteBufUtil.getBytes(buffer, buffer.readerIndex(), buffer.readableBytes(), true);
    }
}
