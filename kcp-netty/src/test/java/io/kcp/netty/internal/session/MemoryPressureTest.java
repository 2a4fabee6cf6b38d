package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.core.internal.memory.SegmentPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MemoryPressureTest {

    /** An output of one session that releases all datagrams. */
    private record Discarded(TestSession session) implements SessionBoundOutput {

        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            return Unpooled.buffer(datagramBytes);
        }

        @Override
        public void write(ByteBuf datagram) {
            datagram.release();
        }
    }

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final MemoryLimit held = new MemoryLimit();
    private boolean failing;
    private long nowMs;
    /** An action of the application during a poll. */
    private @Nullable Runnable duringPoll;
    private final MemoryPressure pressure = new MemoryPressure(channel.eventLoop(), held, () -> {
        if (failing) {
            throw new IllegalStateException("thrown by the test");
        }
        Runnable action = duringPoll;
        duringPoll = null;
        if (action != null) {
            action.run();
            duringPoll = action;
        }
        return nowMs;
    });

    /** Returns a session that holds more than its share while memory is short. */
    private TestSession constrained() {
        TestSession session = new TestSession(7);
        session.setHomeLoop(channel.eventLoop());
        session.kcp = new Kcp(7, KcpConfig.fast(), new Discarded(session), new SegmentPool(UnpooledByteBufAllocator.DEFAULT, held), 0, 0);
        session.setState(SessionState.ACTIVE);
        held.setMaxHeldBytes(10_000);
        session.kcp().memory().setBacklogBytes(100_000);
        assertThat(session.kcp().memory().isConstrained()).isTrue();
        return session;
    }

    private long pollOnce() {
        channel.advanceTimeBy(MemoryPressure.INTERVAL_MS, TimeUnit.MILLISECONDS);
        return channel.runScheduledPendingTasks();
    }

    @Test
    void pollingContinuesAfterAnException() {
        channel.freezeTime();
        TestSession session = constrained();
        pressure.onActivity(session);
        assertThat(pollOnce()).as("time until the second poll").isPositive();
        failing = true;
        assertThat(pollOnce()).as("time until the next poll after one that failed").isPositive();
        failing = false;
        assertThat(pollOnce()).isPositive();
        session.setState(SessionState.CLOSED);
        assertThat(pollOnce()).as("no poll without paused sessions").isEqualTo(-1);
        session.kcp().release();
        channel.finish();
    }

    @Test
    void activityDuringPollsDoesNotExtendTheGracePeriod() {
        channel.freezeTime();
        TestSession session = constrained();
        pressure.onActivity(session);
        duringPoll = () -> pressure.onActivity(session);
        for (; nowMs <= 2 * MemoryPressure.GRACE_MS && session.isOpen(); nowMs += MemoryPressure.INTERVAL_MS) {
            pollOnce();
        }
        assertThat(session.memoryCause).as("cause of the close").isInstanceOf(IllegalStateException.class);
        duringPoll = null;
        pollOnce();
        session.kcp().release();
        channel.finish();
    }
}
