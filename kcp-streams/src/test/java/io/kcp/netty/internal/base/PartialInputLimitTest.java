package io.kcp.netty.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
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
class PartialInputLimitTest {

    private static final int LIMIT_BYTES = 1 << 20;

    private final MockTicker ticker = Ticker.newMockTicker();
    private final PartialInputLimit memory = new PartialInputLimit(LIMIT_BYTES, 30_000);
    private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** An incomplete packet of a channel whose handler runs on the shared executor. */
    private final class Packet extends PartialInput {

        private final EmbeddedChannel channel;
        private int received;
        private @Nullable Cause discarded;
        private Runnable onDiscarded = () -> { };

        @SuppressWarnings("deprecation") // the only way to let several embedded channels share an executor
        Packet(EmbeddedChannel loop, @Nullable Channel parent) {
            this(loop.eventLoop(), new EmbeddedChannel(parent, DefaultChannelId.newInstance(), true, false));
        }

        @SuppressWarnings("deprecation")
        Packet(EventExecutorGroup executor, EmbeddedChannel channel) {
            this.channel = channel;
            channels.add(channel);
            channel.pipeline().addLast(executor, new ChannelInboundHandlerAdapter() {
                @Override
                public void handlerAdded(ChannelHandlerContext context) {
                    memory.attach(Packet.this, context);
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
            return isPausedConnection(channel);
        }

        @Override
        protected void onDiscarded(Cause cause, String message) {
            assertThat(discarded).isNull();
            discarded = cause;
            onDiscarded.run();
        }
    }

    /** A session, whose peer may be validated or not. */
    private static final class Session extends EmbeddedChannel implements ConnectionChannel {

        private boolean validated;

        @Override
        public boolean isPeerValidated() {
            return validated;
        }
    }

    /** An executor that terminates between a check of its state and the next call. */
    private static final class TerminatedExecutor extends AbstractEventExecutor {

        @Override
        public boolean inEventLoop(Thread thread) {
            return true;
        }

        @Override
        public boolean isShuttingDown() {
            return false;
        }

        @Override
        public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
            return terminationFuture();
        }

        @Override
        public Future<?> terminationFuture() {
            return GlobalEventExecutor.INSTANCE.newSucceededFuture(null);
        }

        @Override
        @Deprecated
        public void shutdown() {
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }

        @Override
        public void execute(Runnable task) {
            throw new RejectedExecutionException("terminated");
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            throw new RejectedExecutionException("terminated");
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
        assertThat(attackers).anyMatch(packet -> packet.discarded == PartialInput.Cause.MEMORY);
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
        assertThat(streams).allMatch(stream -> stream.discarded == PartialInput.Cause.MEMORY);
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
        assertThat(stalled.discarded).isEqualTo(discarded ? PartialInput.Cause.TIMEOUT : null);
        assertThat(slow.discarded).isNull();
        assertThat(memory.usedBytes()).isEqualTo(discarded ? 100 : 200);
    }

    /** A session that does not read cannot deliver the data of its streams. */
    @Test
    void packetOfAStreamHasNoTimeoutWhileItsSessionIsPaused() {
        EmbeddedChannel connection = new EmbeddedChannel();
        channels.add(connection);
        Packet stream = new Packet(loop, connection).hold(100);
        connection.config().setAutoRead(false);
        advanceSeconds(60);
        assertThat(stream.discarded).isNull();
        connection.config().setAutoRead(true);
        advanceSeconds(40);
        assertThat(stream.discarded).isEqualTo(PartialInput.Cause.TIMEOUT);
    }

    private static long discarded(List<Packet> packets) {
        return packets.stream().filter(packet -> packet.discarded != null).count();
    }

    /** Runs the tasks whose time has come, without the tasks that they schedule. */
    private void runNextTask() {
        ticker.advance(1, TimeUnit.MILLISECONDS);
        loop.runScheduledPendingTasks();
        loop.runPendingTasks();
    }

    private void runTasks() {
        for (int i = 0; i < 100; i++) {
            runNextTask();
        }
    }

    /** Closing a channel takes up to 50 µs, so thousands of closes in one task would delay all other channels of the event loop. */
    @Test
    void packetsThatTimeOutTogetherAreDiscardedInSeveralTasks() {
        List<Packet> stalled = packets(1_000, 2);
        advanceSeconds(39);
        assertThat(discarded(stalled)).isZero();
        ticker.advance(999, TimeUnit.MILLISECONDS);
        for (int expected = 256; expected < 1_000; expected += 256) {
            runNextTask();
            assertThat(discarded(stalled)).isEqualTo(expected);
        }
        runNextTask();
        assertThat(discarded(stalled)).isEqualTo(1_000);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void packetsOfStreamsThatTimeOutTogetherAreDiscardedInSeveralTasks() {
        EmbeddedChannel connection = new EmbeddedChannel();
        channels.add(connection);
        List<Packet> streams = IntStream.range(0, 1_000).mapToObj(i -> new Packet(loop, connection).hold(2)).toList();
        advanceSeconds(39);
        ticker.advance(999, TimeUnit.MILLISECONDS);
        runNextTask();
        assertThat(discarded(streams)).isEqualTo(256);
        runTasks();
        assertThat(discarded(streams)).isEqualTo(1_000);
    }

    /** For example, a proxy closes both of its channels if one of them fails. */
    @Test
    void sweepContinuesIfADiscardedPacketReleasesTheNextOne() {
        List<Packet> stalled = packets(10, 100);
        for (int i = 0; i < stalled.size(); i += 2) {
            Packet next = stalled.get(i + 1);
            stalled.get(i).onDiscarded = () -> next.hold(0);
        }
        advanceSeconds(40);
        assertThat(discarded(stalled)).isEqualTo(5);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void memoryShortageDiscardsAtMostAFewHundredPacketsPerTask() {
        List<Packet> attackers = packets(4_000, LIMIT_BYTES / 2_000);
        loop.runPendingTasks();
        assertThat(discarded(attackers)).isEqualTo(256);
        runNextTask();
        assertThat(discarded(attackers)).isEqualTo(512);
        runTasks();
        assertThat(memory.usedBytes()).isBetween(LIMIT_BYTES - 1_000L, (long) LIMIT_BYTES);
    }

    /** An attacker can open any number of sessions from forged addresses, so they must not displace the packets of real clients. */
    @Test
    void connectionsWithUnvalidatedPeersLoseTheirPacketsFirst() {
        Session real = new Session();
        Packet honest = new Packet(loop.eventLoop(), real).hold(100_000);
        List<Packet> forged = IntStream.range(0, 300).mapToObj(i -> new Packet(loop.eventLoop(), new Session()).hold(4_000)).toList();
        Packet tcp = packet().hold(100_000);
        real.validated = true;
        loop.runPendingTasks();
        assertThat(honest.discarded).as("validated after its packet began").isNull();
        assertThat(tcp.discarded).isNull();
        assertThat(discarded(forged)).isBetween(85L, 95L);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
        packets(10, LIMIT_BYTES / 10);
        runTasks();
        assertThat(discarded(forged)).isEqualTo(300);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void packetOfATerminatedExecutorIsCounted() {
        Packet packet = new Packet(new TerminatedExecutor(), new EmbeddedChannel()).hold(100).hold(2 * LIMIT_BYTES).hold(0);
        assertThat(packet.hold(100).discarded).isNull();
        assertThat(memory.usedBytes()).isEqualTo(100);
        packet.hold(0);
        assertThat(memory.usedBytes()).isZero();
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
        assertThat(PartialInputLimit.limitBytes(0, 1_000, 1_000)).isGreaterThan(1L << 60);
        assertThat(PartialInputLimit.limitBytes(-1, 8_000, 16_000)).isEqualTo(1_000);
        assertThat(PartialInputLimit.limitBytes(-1, 0, 16_000)).isEqualTo(2_000);
        assertThat(PartialInputLimit.limitBytes(500, 8_000, 16_000)).isEqualTo(500);
    }

    @Test
    void documentedSystemPropertiesSetTheLimit() {
        String property = "io.kcp.netty.packet.maxIncompleteBytes";
        System.setProperty(property, "12345");
        try {
            assertThat(PartialInputLimit.ofSystemProperties().limitBytes()).isEqualTo(12_345);
        } finally {
            System.clearProperty(property);
        }
    }

    @Test
    void documentedSystemPropertySetsTheTimeout() {
        String property = "io.kcp.netty.packet.incompleteTimeoutMs";
        System.setProperty(property, "77");
        try {
            assertThat(PartialInputLimit.ofSystemProperties().timeoutMs()).isEqualTo(77);
        } finally {
            System.clearProperty(property);
        }
    }
}
