package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelayReceiverTest {

    private static final int MESSAGE_BYTES = 20;
    private static final int MESSAGES = 50;

    private final DelayRecord record = new DelayRecord();
    private final EmbeddedChannel channel = new EmbeddedChannel(new DelayReceiver(MESSAGE_BYTES, record));

    @Test
    void findsTheMessagesOfAStreamCutAnywhere() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        ByteBuf stream = Unpooled.buffer();
        long agoNs = 3_000_000_000L;
        for (int i = 0; i < MESSAGES; i++) {
            stream.writeLong(System.nanoTime() - agoNs).writeZero(MESSAGE_BYTES - Long.BYTES);
        }
        while (stream.isReadable()) {
            channel.writeInbound(stream.readBytes(Math.min(stream.readableBytes(), 1 + random.nextInt(2 * MESSAGE_BYTES))));
        }
        stream.release();
        String report = record.report().toString();
        assertThat(JsonLine.number(report, "received")).isEqualTo(MESSAGES);
        assertThat(JsonLine.number(report, "p50_ms")).isBetween(2_990.0, 60_000.0);
    }

    @Test
    void leavesOutWhatIsNotMeasured() {
        ByteBuf messages = Unpooled.buffer().writeLong(DelaySender.NOT_MEASURED).writeZero(MESSAGE_BYTES - Long.BYTES)
            .writeLong(System.nanoTime()).writeZero(MESSAGE_BYTES - Long.BYTES);
        channel.writeInbound(messages);
        assertThat(JsonLine.number(record.report().toString(), "received")).isEqualTo(1);
        assertThat(messages.refCnt()).isZero();
    }
}
