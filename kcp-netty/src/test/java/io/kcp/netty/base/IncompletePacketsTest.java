package io.kcp.netty.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If incomplete packets use too much memory, the connections that use the most memory lose their packets. */
@Timeout(60)
class IncompletePacketsTest {

    private static final int LIMIT_BYTES = 1 << 20;

    private final MockTicker ticker = Ticker.newMockTicker();
    private final IncompletePackets memory = new IncompletePackets(LIMIT_BYTES, 30_000);
    private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** An incomplete packet of a channel whose handler runs on the shared executor. */
    private final class Packet extends IncompletePacket {

        private final EmbeddedChannel channel;
        private int received;
        private @Nullable Cause discarded;

        @SuppressWarnings("deprecation") // the only way to let several embedded channels share an executor
        Packet(EmbeddedChannel loop, @Nullable Channel parent) {
            channel = new EmbeddedChannel(parent, DefaultChannelId.newInstance(), true, false);
            channels.add(channel);
            channel.pipeline().addLast(loop.eventLoop(), new ChannelInboundHandlerAdapter() {
                @Override
                public void handlerAdded(ChannelHandlerContext context) {
                    attachTo(memory, context);
                }
            });
        }

        Packet hold(int bytes) {
            assertThat(trySetBytes(bytes)).isTrue();
            received = bytes;
            return this;
        }

        @Override
        protected int receivedBytes() {
            return received;
        }

        @Override
        protected boolean isReadingPaused() {
            return !channel.config().isAutoRead();
        }

        @Override
        protected void onDiscarded(Cause cause, String message) {
            assertThat(discarded).isNull();
            discarded = cause;
        }
    }

    private Packet packet() {
        return new Packet(loop, null);
    }

    private List<Packet> packets(int count, int bytes) {
        return IntStream.range(0, count).mapToObj(i -> packet().hold(bytes)).toList();
    }

    private void advanceSeconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            ticker.advance(1, TimeUnit.SECONDS);
            loop.runScheduledPendingTasks();
        }
    }

    @AfterEach
    void allMemoryIsCounted() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        loop.finishAndReleaseAll();
    }

    /** The attackers no longer grow, and many tiny packets would reduce an equal share to almost nothing. */
    @Test
    void holdersOfTheMostMemoryLoseItAndHonestPacketsContinue() {
        List<Packet> attackers = packets(16, LIMIT_BYTES / 16);
        List<Packet> tiny = packets(2_000, 2);
        Packet honest = packet().hold(4_000).hold(8_000).hold(16_000);
        loop.runPendingTasks();
        assertThat(honest.discarded).isNull();
        assertThat(tiny).allMatch(packet -> packet.discarded == null);
        assertThat(attackers).anyMatch(packet -> packet.discarded == IncompletePacket.Cause.MEMORY);
        assertThat(attackers.get(0).discarded).as("of equal packets, the oldest one").isNotNull();
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void streamsOfOneConnectionCountTogether() {
        EmbeddedChannel connection = new EmbeddedChannel();
        channels.add(connection);
        List<Packet> streams = IntStream.range(0, 1_000).mapToObj(i -> new Packet(loop, connection).hold(1_000)).toList();
        Packet honest = packet().hold(50_000);
        loop.runPendingTasks();
        assertThat(honest.discarded).isNull();
        assertThat(streams).allMatch(stream -> stream.discarded == IncompletePacket.Cause.MEMORY);
        assertThat(memory.usedBytes()).isEqualTo(50_000);
    }

    @Test
    void executorBelowItsPartOfTheLimitLosesNothing() {
        EmbeddedChannel otherLoop = new EmbeddedChannel();
        channels.add(otherLoop);
        List<Packet> attackers = packets(16, LIMIT_BYTES / 16);
        Packet honest = new Packet(otherLoop, null).hold(LIMIT_BYTES / 2);
        otherLoop.runPendingTasks();
        loop.runPendingTasks();
        assertThat(honest.discarded).isNull();
        assertThat(attackers).anyMatch(packet -> packet.discarded != null);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void twiceTheLimitIsNeverExceeded() {
        Packet first = packet().hold(LIMIT_BYTES);
        Packet second = packet();
        assertThat(second.trySetBytes(LIMIT_BYTES + 1)).isFalse();
        assertThat(memory.usedBytes()).isEqualTo(LIMIT_BYTES);
        assertThat(second.trySetBytes(LIMIT_BYTES)).as("a refused request uses no memory").isTrue();
        assertThat(first.trySetBytes(0)).isTrue();
        assertThat(second.trySetBytes(0)).isTrue();
        assertThat(memory.usedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    void packetWithoutProgressIsDiscardedUnlessReadingIsPaused(boolean autoRead, boolean discarded) {
        Packet stalled = packet().hold(100);
        stalled.channel.config().setAutoRead(autoRead);
        Packet slow = packet().hold(100);
        for (int i = 0; i < 29; i++) {
            advanceSeconds(1);
            assertThat(stalled.discarded).isNull();
            slow.received += i % 9 == 0 ? 1 : 0;
        }
        for (int i = 0; i < 30; i++) {
            advanceSeconds(1);
            slow.received += i % 9 == 0 ? 1 : 0;
        }
        assertThat(stalled.discarded).isEqualTo(discarded ? IncompletePacket.Cause.TIMEOUT : null);
        assertThat(slow.discarded).isNull();
        assertThat(memory.usedBytes()).isEqualTo(discarded ? 100 : 200);
    }

    @Test
    void eachPacketHasItsOwnTimeout() {
        Packet packet = packet();
        for (int i = 0; i < 100; i++) {
            packet.hold(100);
            advanceSeconds(1);
            packet.hold(0).hold(100);
        }
        assertThat(packet.discarded).isNull();
    }

    @Test
    void noPacketSchedulesNoTask() {
        packet().hold(100).hold(0);
        advanceSeconds(11);
        assertThat(loop.runScheduledPendingTasks()).as("no task is left").isEqualTo(-1);
    }

    @Test
    void zeroDisablesTheLimit() {
        assertThat(IncompletePackets.limitBytes(0, 1_000, 1_000)).isGreaterThan(1L << 60);
        assertThat(IncompletePackets.limitBytes(-1, 8_000, 16_000)).isEqualTo(1_000);
        assertThat(IncompletePackets.limitBytes(-1, 0, 16_000)).isEqualTo(2_000);
        assertThat(IncompletePackets.limitBytes(500, 8_000, 16_000)).isEqualTo(500);
    }
}
