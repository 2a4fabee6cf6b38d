package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link LossyLinkHandler} impairs the datagrams of a pipeline, on the clock of its event loop. */
class LossyLinkHandlerTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("10.0.0.1", 9_000);
    private static final int BYTES = 1_250;

    private final CountingAllocator buffers = new CountingAllocator(false);
    private final MockTicker clock = Ticker.newMockTicker();
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    private EmbeddedChannel channel(LossyLinkHandler handler) {
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).handlers(handler).build();
        channels.add(channel);
        return channel;
    }

    private EmbeddedChannel channel(LinkProfile.Builder link) {
        return channel(new LossyLinkHandler(link.build(), 1));
    }

    private DatagramPacket datagram(int number) {
        return new DatagramPacket(buffers.buffer(BYTES).writeInt(number).writeZero(BYTES - Integer.BYTES), PEER, PEER);
    }

    private void send(EmbeddedChannel channel, int datagrams) {
        for (int i = 0; i < datagrams; i++) {
            channel.writeOutbound(datagram(i));
        }
    }

    private void receive(EmbeddedChannel channel, int datagrams) {
        for (int i = 0; i < datagrams; i++) {
            channel.writeInbound(datagram(i));
        }
    }

    private void advanceMs(EmbeddedChannel channel, long ms) {
        clock.advance(ms, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private static List<Integer> numbers(Supplier<DatagramPacket> source) {
        List<Integer> numbers = new ArrayList<>();
        for (DatagramPacket packet = source.get(); packet != null; packet = source.get()) {
            numbers.add(packet.content().getInt(0));
            packet.release();
        }
        return numbers;
    }

    private static List<Integer> sent(EmbeddedChannel channel) {
        return numbers(channel::readOutbound);
    }

    private static List<Integer> received(EmbeddedChannel channel) {
        return numbers(channel::readInbound);
    }

    @AfterEach
    void allBuffersAreReleased() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertThat(buffers.outstandingBytes()).isZero();
    }

    @Test
    void lossRateMatchesTheProfileInBothDirections() {
        LossyLinkHandler handler = new LossyLinkHandler(LinkProfile.builder().lossProbability(0.2).build(), 7);
        EmbeddedChannel channel = channel(handler);
        send(channel, 10_000);
        receive(channel, 10_000);
        List<Integer> outbound = sent(channel);
        List<Integer> inbound = received(channel);
        assertThat(outbound).hasSize((int) (10_000 - handler.outboundCounts().lost())).isSorted().isNotEqualTo(inbound);
        assertThat(inbound).hasSize((int) (10_000 - handler.inboundCounts().lost())).isSorted();
        assertThat(handler.outboundCounts().datagrams()).isEqualTo(10_000);
        assertThat(handler.outboundCounts().bytes()).isEqualTo(10_000L * BYTES);
        assertThat((double) handler.outboundCounts().lost()).isCloseTo(2_000, within(150.0));
        assertThat((double) handler.inboundCounts().lost()).isCloseTo(2_000, within(150.0));
    }

    @Test
    void directionsMayDiffer() {
        LinkProfile perfect = LinkProfile.builder().build();
        EmbeddedChannel channel = channel(new LossyLinkHandler(LinkProfile.builder().lossProbability(1).build(), perfect, 1));
        send(channel, 3);
        receive(channel, 3);
        assertThat(sent(channel)).containsExactly(0, 1, 2);
        assertThat(received(channel)).isEmpty();
    }

    @Test
    void seedDeterminesTheLostDatagrams() {
        LinkProfile link = LinkProfile.builder().lossProbability(0.5).build();
        List<List<Integer>> runs = new ArrayList<>();
        for (long seed : new long[] {1, 1, 2}) {
            EmbeddedChannel channel = channel(new LossyLinkHandler(link, seed));
            send(channel, 100);
            runs.add(sent(channel));
        }
        assertThat(runs.get(1)).isEqualTo(runs.get(0));
        assertThat(runs.get(2)).isNotEqualTo(runs.get(0));
    }

    @Test
    void lostDatagramCompletesItsPromise() {
        EmbeddedChannel channel = channel(LinkProfile.builder().lossProbability(1));
        ChannelFuture written = channel.writeAndFlush(datagram(0));
        assertThat(written.isSuccess()).isTrue();
        assertThat(sent(channel)).isEmpty();
    }

    @Test
    void delayedDatagramsArriveInOrderAfterTheDelay() {
        EmbeddedChannel channel = channel(LinkProfile.builder().delayMs(20));
        ChannelFuture written = channel.writeAndFlush(datagram(0));
        receive(channel, 2);
        advanceMs(channel, 19);
        assertThat(sent(channel)).isEmpty();
        assertThat(received(channel)).isEmpty();
        assertThat(written.isDone()).isFalse();
        advanceMs(channel, 1);
        assertThat(sent(channel)).containsExactly(0);
        assertThat(received(channel)).containsExactly(0, 1);
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void rateSpacesDatagramsAndAFullQueueDrops() {
        // A datagram of 1250 bytes takes a millisecond at 10 Mbit/s.
        LossyLinkHandler handler = new LossyLinkHandler(LinkProfile.builder().rateBitsPerSecond(10_000_000).queueDatagrams(2).build(), 1);
        EmbeddedChannel channel = channel(handler);
        send(channel, 5);
        List<List<Integer>> perMs = new ArrayList<>();
        for (int ms = 1; ms <= 4; ms++) {
            advanceMs(channel, 1);
            perMs.add(sent(channel));
        }
        assertThat(perMs).containsExactly(List.of(0), List.of(1), List.of(2), List.of());
        assertThat(handler.outboundCounts().lost()).isEqualTo(2);
    }

    @Test
    void reorderedDatagramsAreOvertaken() {
        LossyLinkHandler handler = new LossyLinkHandler(LinkProfile.builder().delayMs(5).reorder(0.25, 50).build(), 3);
        EmbeddedChannel channel = channel(handler);
        send(channel, 400);
        advanceMs(channel, 5);
        int inTime = sent(channel).size();
        advanceMs(channel, 50);
        assertThat(handler.outboundCounts().reordered()).isBetween(70L, 130L).isEqualTo(sent(channel).size()).isEqualTo(400 - inTime);
    }

    @Test
    void duplicatesArriveTwiceInBuffersOfTheirOwn() {
        EmbeddedChannel channel = channel(LinkProfile.builder().duplicateProbability(1));
        channel.writeInbound(datagram(4));
        DatagramPacket first = channel.readInbound();
        DatagramPacket second = channel.readInbound();
        first.content().setInt(0, 5);
        assertThat(second.content().getInt(0)).isEqualTo(4);
        assertThat(second.sender()).isEqualTo(PEER);
        first.release();
        second.release();
        send(channel, 2);
        assertThat(sent(channel)).containsExactly(0, 0, 1, 1);
    }

    @Test
    void corruptionInvertsOneBitOfACopy() {
        EmbeddedChannel channel = channel(LinkProfile.builder().corruptProbability(1));
        DatagramPacket original = datagram(0);
        channel.writeOutbound(original.retain());
        DatagramPacket sent = channel.readOutbound();
        assertThat(setBits(sent.content())).isEqualTo(1);
        assertThat(setBits(original.content())).isZero();
        sent.release();
        original.release();
        channel.writeOutbound(buffers.buffer(1));
        ByteBuf empty = channel.readOutbound();
        assertThat(empty.isReadable()).isFalse();
        empty.release();
    }

    private static int setBits(ByteBuf bytes) {
        int set = 0;
        for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
            set += Integer.bitCount(bytes.getUnsignedByte(i));
        }
        return set;
    }

    @Test
    void otherMessagesPassUnchanged() {
        EmbeddedChannel channel = channel(LinkProfile.builder().lossProbability(1).delayMs(5));
        channel.writeOutbound("text");
        channel.writeInbound("text");
        assertThat(channel.<String>readOutbound()).isEqualTo("text");
        assertThat(channel.<String>readInbound()).isEqualTo("text");
    }

    @Test
    void changedLinkAppliesToLaterDatagrams() {
        LossyLinkHandler handler = new LossyLinkHandler(LinkProfile.builder().delayMs(5).build(), 1);
        EmbeddedChannel channel = channel(handler);
        send(channel, 1);
        handler.setLink(LinkProfile.builder().lossProbability(1).build());
        send(channel, 1);
        receive(channel, 1);
        advanceMs(channel, 5);
        assertThat(sent(channel)).containsExactly(0);
        assertThat(received(channel)).isEmpty();
        assertThat(handler.outboundCounts().datagrams()).isEqualTo(2);
    }

    @Test
    void busyEventLoopForwardsLateDatagramsInOrder() {
        LossyLinkHandler handler = new LossyLinkHandler(LinkProfile.builder().delayMs(5).build(), 1);
        EmbeddedChannel channel = channel(handler);
        channel.writeInbound(datagram(0));
        clock.advance(7, TimeUnit.MILLISECONDS);
        handler.setLink(LinkProfile.builder().build());
        channel.pipeline().fireChannelRead(datagram(1));
        assertThat(received(channel)).isEmpty();
        channel.runScheduledPendingTasks();
        assertThat(received(channel)).containsExactly(0, 1);
        assertThat(handler.longestLatenessMs()).isEqualTo(2);
    }

    @Test
    void closedChannelDiscardsDatagramsInFlight() {
        EmbeddedChannel channel = channel(LinkProfile.builder().delayMs(5));
        ChannelFuture written = channel.writeAndFlush(datagram(0));
        receive(channel, 1);
        channel.close();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(buffers.outstandingBytes()).isZero();
        advanceMs(channel, 5);
        assertThat(sent(channel)).isEmpty();
    }

    @Test
    void invalidPropertiesAreRejected() {
        assertThatThrownBy(() -> LinkProfile.builder().lossProbability(1.1)).hasMessage("probability: 1.1 (expected: 0 to 1)");
        assertThatThrownBy(() -> LinkProfile.builder().reorder(Double.NaN, 5)).hasMessage("probability: NaN (expected: 0 to 1)");
        assertThatThrownBy(() -> LinkProfile.builder().delayMs(-1)).hasMessage("delayMs: -1.0 (expected: at least 0)");
        assertThatThrownBy(() -> LinkProfile.builder().interruption(5, 4)).hasMessage("toMs: 4.0 (expected: at least 5.0)");
        assertThatThrownBy(() -> LinkProfile.builder().releaseIntervalMs(-1)).hasMessage("intervalMs: -1.0 (expected: at least 0)");
        assertThatThrownBy(() -> LossModel.bursts(0.5, 0.1, 0, 1)).hasMessage("meanBurstDatagrams: 0.5 (expected: at least 1)");
    }
}
