package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.internal.admission.SeededTable;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.SpareMemory;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions still close and timers still run if objects cannot be allocated while a session closes or a timer is scheduled. */
@Timeout(60)
@Tag("jdk")
class HeapExhaustionTest {

    private static final int CONV = 7;

    /** An event loop that records the delays of scheduled tasks, and throws OutOfMemoryError instead while the test requests it. */
    private static final class FailingLoop {

        private final EmbeddedChannel channel = new EmbeddedChannel();
        private final List<Object> delays = new ArrayList<>();
        private boolean failing;
        private final EventLoop loop = (EventLoop) Proxy.newProxyInstance(EventLoop.class.getClassLoader(),
            new Class<?>[] {EventLoop.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("schedule")) {
                    if (failing) {
                        throw new OutOfMemoryError("no memory for a task, thrown by the test");
                    }
                    delays.add(arguments[1]);
                }
                return method.invoke(channel.eventLoop(), arguments);
            });

        void runTasks() {
            channel.advanceTimeBy(SpareMemory.INTERVAL_MS, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** An address whose {@code toString} throws. */
    private static final class Unprintable extends InetSocketAddress {

        private static final long serialVersionUID = 1L;

        Unprintable(int port) {
            super("192.0.2.1", port);
        }

        @Override
        public String toString() {
            throw new OutOfMemoryError("no memory for a text, thrown by the test");
        }
    }

    @Test
    void timersRunAfterATaskCouldNotBeScheduled() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            FailingLoop failing = new FailingLoop();
            LoopContext context = LoopContext.of(failing.loop);
            List<DefaultKcpChannel> sessions = new ArrayList<>();
            for (int conv = 0; conv < 3; conv++) {
                sessions.add(link.server().handler().newSession(null, conv));
            }
            long nowMs = context.nowMs();
            context.timers().schedule(sessions.get(0), 10_000, nowMs);
            failing.failing = true;
            assertThatThrownBy(() -> context.timers().schedule(sessions.get(1), 2_000, nowMs)).isInstanceOf(OutOfMemoryError.class);
            failing.failing = false;
            context.timers().schedule(sessions.get(2), 5_000, nowMs);
            assertThat(failing.delays).hasSize(2);
            assertThat((long) failing.delays.get(1)).isBetween(1L, 2_000L);
        }
    }

    @Test
    void spareMemoryIsTrimmedAfterSchedulingFailed() {
        Consumer<Channel> fec = channel -> channel.pipeline().addLast(new FecCodec(FecConfig.of(new FecShape(10, 3))));
        try (EmbeddedLink link = EmbeddedLink.create(fec, fec)) {
            DefaultKcpChannel session = (DefaultKcpChannel) link.establish(CONV).session();
            FailingLoop failing = new FailingLoop();
            failing.channel.freezeTime();
            SpareMemory memory = new SpareMemory(failing.loop);
            SpareMemory.Entry entry = new SpareMemory.Entry(session);
            assertThat(session.fec.holdsSpareMemory()).as("holds an incomplete group of FEC").isTrue();
            failing.failing = true;
            assertThatThrownBy(() -> memory.onActivity(entry)).isInstanceOf(OutOfMemoryError.class);
            failing.failing = false;
            memory.onActivity(entry);
            assertThat(failing.delays).as("after the first activity failed").hasSize(1);
            failing.failing = true;
            failing.runTasks();
            failing.failing = false;
            memory.onActivity(entry);
            assertThat(failing.delays).as("after the task itself failed").hasSize(2);
        }
    }

    @Test
    void closedSessionNoLongerCountsTowardsTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessions(1), SessionRecorder::new)) {
            link.establish(CONV);
            link.failClock(1);
            link.accepted(0).session().close();
            assertThat(link.failClock(0)).as("failures left").isZero();
            assertThat(link.accepted(0).session().isOpen()).isFalse();
            assertThat(link.server().stats().activeSessions()).isZero();
            link.establish(CONV + 1);
            assertThat(link.accepted()).hasSize(2);
        }
    }

    @Test
    void sessionsAreEvictedIfTheirAddressCannotBeFormatted() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            for (int i = 0; i < 3; i++) {
                link.server().receive(new Unprintable(1_000 + i), WireSegment.push(CONV, 0, 0, "x"));
            }
            link.server().releaseSlab();
            link.settle();
            link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
            link.settle();
            assertThat(link.accepted()).hasSize(3).allSatisfy(recorder -> {
                assertThat(recorder.session().isOpen()).isFalse();
                assertThat(recorder.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.EVICTED));
            });
            assertThat(link.server().stats().activeSessions()).isZero();
        }
    }

    @Test
    void entriesAreRemovedIfTheTableCannotShrink() {
        boolean[] failing = {false};
        SeededTable<Integer> table = new SeededTable<>() {
            @Override
            protected int hashOf(Integer entry) {
                return entry;
            }

            @Override
            protected @Nullable Object[] newSlots(int capacity) {
                if (failing[0]) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                return super.newSlots(capacity);
            }
        };
        List<Integer> entries = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            entries.add(i);
            table.add(entries.get(i));
        }
        failing[0] = true;
        entries.forEach(entry -> assertThat(table.remove(entry)).isTrue());
        assertThat(table.size()).isZero();
    }
}
