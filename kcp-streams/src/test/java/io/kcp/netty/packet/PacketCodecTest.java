package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PacketCodecTest {

    private static EmbeddedChannel channel(boolean checksum) {
        return new EmbeddedChannel(new PacketCodec(PacketFormat.DEFAULT.withChecksum(checksum)));
    }

    @ParameterizedTest
    @CsvSource({
        "false, '', 00000000",
        "false, abc, 03000000 616263",
        "true, '', 00000000 1cdf4421",
        "true, abc, 03000000 616263 335de166"})
    void goldenBytes(boolean checksum, String payload, String encoded) {
        EmbeddedChannel channel = channel(checksum);
        channel.writeOutbound(Unpooled.copiedBuffer(payload, StandardCharsets.US_ASCII));
        assertThat(PacketBytes.written(channel)).isEqualTo(PacketBytes.hex(encoded));
        channel.writeInbound(PacketBytes.buffer(PacketBytes.hex(encoded)));
        assertThat(PacketBytes.packets(channel)).containsExactly(payload.getBytes(StandardCharsets.US_ASCII));
        assertThat(channel.finishAndReleaseAll()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsSurviveASplitAtEveryByte(boolean checksum) {
        SplittableRandom random = new SplittableRandom(3);
        List<byte[]> payloads = List.of(PacketBytes.random(random, 7), new byte[0], PacketBytes.random(random, 300), new byte[0],
            PacketBytes.random(random, 1));
        byte[] bytes = PacketBytes.encode(checksum, payloads);
        for (int first = 0; first <= bytes.length; first++) {
            EmbeddedChannel channel = channel(checksum);
            channel.writeInbound(PacketBytes.buffer(bytes, 0, first));
            channel.writeInbound(PacketBytes.buffer(bytes, first, bytes.length));
            assertThat(PacketBytes.packets(channel)).as("split at %d", first).containsExactlyElementsOf(payloads);
            channel.finishAndReleaseAll();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("slow")
    void packetsSurviveSingleBytes(boolean checksum) {
        SplittableRandom random = new SplittableRandom(4);
        List<byte[]> payloads = List.of(PacketBytes.random(random, 1_000), new byte[0], PacketBytes.random(random, 5_000));
        EmbeddedChannel channel = channel(checksum);
        for (byte b : PacketBytes.encode(checksum, payloads)) {
            channel.writeInbound(PacketBytes.buffer(new byte[] {b}));
        }
        assertThat(PacketBytes.packets(channel)).containsExactlyElementsOf(payloads);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    @Tag("slow")
    void randomPacketsArriveIntactFromRandomReads(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean checksum = random.nextBoolean();
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            payloads.add(PacketBytes.random(random, random.nextInt(1 << random.nextInt(1, 18))));
        }
        EmbeddedChannel sender = channel(checksum);
        payloads.forEach(payload -> sender.writeOutbound(
            random.nextBoolean() ? Unpooled.wrappedBuffer(payload) : split(payload, random)));
        byte[] bytes = PacketBytes.written(sender);
        assertThat(bytes).as("seed %d", seed).isEqualTo(PacketBytes.encode(checksum, payloads));
        EmbeddedChannel receiver = channel(checksum);
        for (int from = 0; from < bytes.length;) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(1 << random.nextInt(1, 17)));
            receiver.writeInbound(random.nextBoolean() ? PacketBytes.buffer(bytes, from, to)
                : Unpooled.wrappedBuffer(bytes, from, to - from));
            from = to;
        }
        assertThat(PacketBytes.packets(receiver)).as("seed %d", seed).containsExactlyElementsOf(payloads);
        sender.finishAndReleaseAll();
        receiver.finishAndReleaseAll();
    }

    /** Returns a composite buffer, which has no single backing memory. */
    private static ByteBuf split(byte[] payload, SplittableRandom random) {
        int at = payload.length == 0 ? 0 : random.nextInt(payload.length);
        return Unpooled.wrappedBuffer(PacketBytes.buffer(payload, 0, at), PacketBytes.buffer(payload, at, payload.length));
    }

    @Test
    @Tag("slow")
    void largestPacketArrivesIntact() {
        byte[] payload = PacketBytes.random(new SplittableRandom(5), PacketFormat.MAX_PAYLOAD_BYTES);
        EmbeddedChannel sender = channel(true);
        sender.writeOutbound(Unpooled.wrappedBuffer(payload));
        byte[] bytes = PacketBytes.written(sender);
        EmbeddedChannel receiver = channel(true);
        for (int from = 0; from < bytes.length; from += 65_536) {
            receiver.writeInbound(PacketBytes.buffer(bytes, from, Math.min(bytes.length, from + 65_536)));
        }
        assertThat(PacketBytes.packets(receiver)).hasSize(1).first().isEqualTo(payload);
        sender.finishAndReleaseAll();
        receiver.finishAndReleaseAll();
    }

    @Test
    void oversizeWriteFailsAndChannelStaysUsable() {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketCodec(PacketFormat.DEFAULT.withMaxPayloadBytes(10)));
        ByteBuf payload = PacketBytes.buffer(new byte[11]);
        ChannelFuture write = channel.writeAndFlush(payload);
        assertThat(write.cause()).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("payload: 11 bytes, must be at most 10 (maxPayloadBytes)");
        assertThat(payload.refCnt()).isZero();
        assertThat(channel.writeOutbound(PacketBytes.buffer(new byte[10]))).isTrue();
        assertThat(PacketBytes.written(channel)).hasSize(14);
        channel.finishAndReleaseAll();
    }

    @Test
    void otherMessagesPassInBothDirections() {
        EmbeddedChannel channel = channel(false);
        channel.writeOutbound("out");
        channel.writeInbound("in");
        String sent = channel.readOutbound();
        String received = channel.readInbound();
        assertThat(sent).isEqualTo("out");
        assertThat(received).isEqualTo("in");
        channel.finishAndReleaseAll();
    }

    @Test
    void emptyPacketsAreSent() {
        EmbeddedChannel channel = channel(false);
        channel.writeOutbound(Unpooled.EMPTY_BUFFER);
        assertThat(PacketBytes.written(channel)).isEqualTo(new byte[4]);
        channel.finishAndReleaseAll();
    }

    @Test
    void formatRefusesLimitsBeyondTheProtocol() {
        assertThatThrownBy(() -> PacketFormat.DEFAULT.withMaxPayloadBytes(PacketFormat.MAX_PAYLOAD_BYTES + 1))
            .isInstanceOf(IllegalArgumentException.class).hasMessage("maxPayloadBytes: 33554433, must be between 0 and 33554432");
        assertThatThrownBy(() -> PacketFormat.DEFAULT.withMaxPayloadBytes(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
