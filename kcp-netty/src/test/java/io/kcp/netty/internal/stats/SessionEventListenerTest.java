package io.kcp.netty.internal.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.test.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@Tag("jdk")
class SessionEventListenerTest {

    @TempDir
    private Path folder;

    private List<RecordedEvent> record(String name, Runnable action) throws IOException {
        try (Recording recording = new Recording()) {
            recording.enable(name);
            recording.start();
            action.run();
            recording.stop();
            Path file = folder.resolve("events.jfr");
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream().filter(event -> event.getEventType().getName().equals(name)).toList();
        }
    }

    @Test
    void openedSessionIsRecorded() throws IOException {
        List<RecordedEvent> events = record("io.kcp.SessionOpened", () -> {
            try (EmbeddedLink link = EmbeddedLink.create()) {
                link.establish(0xFFFF_FFFE);
            }
        });
        assertThat(events).hasSize(2);
        assertThat(events).allMatch(event -> event.getLong("conv") == 0xFFFF_FFFEL);
        assertThat(events.stream().map(event -> event.getString("peer")).toList())
            .containsExactly(EmbeddedLink.SERVER_ADDRESS.toString(), EmbeddedLink.CLIENT_ADDRESS.toString());
    }

    @Test
    void closedSessionIsRecordedWithItsStatistics() throws IOException {
        List<RecordedEvent> events = record("io.kcp.SessionClosed", () -> {
            try (EmbeddedLink link = EmbeddedLink.create()) {
                SessionRecorder orderly = link.establish(1);
                link.advanceMs(2_000);
                orderly.session().close();
                SessionRecorder unheard = link.establish(2);
                link.client().loseAll();
                unheard.session().config().setOption(KcpChannelOption.LINGER_MS, 1_000);
                unheard.session().writeAndFlush(link.text("lost"));
                unheard.session().close();
                link.advanceMs(5_000);
                assertThat(unheard.session().isOpen()).isFalse();
            }
        });
        RecordedEvent orderly = events.get(0);
        assertThat(orderly.getString("reason")).isEqualTo("APPLICATION");
        assertThat(orderly.getDuration("age")).isEqualTo(Duration.ofSeconds(2));
        assertThat(orderly.getLong("bytesSent")).isEqualTo("hello".length());
        assertThat(orderly.getLong("bytesUnacknowledged")).isZero();
        assertThat(orderly.getLong("retransmissions")).isZero();
        assertThat(events.get(1).getString("reason")).as("the server is notified").isEqualTo("PEER_CLOSED");
        RecordedEvent unheard = events.get(2);
        assertThat(unheard.getLong("conv")).isEqualTo(2);
        assertThat(unheard.getString("reason")).isEqualTo("LINGER_EXPIRED");
        assertThat(unheard.getDuration("age")).isEqualTo(Duration.ofSeconds(1));
        assertThat(unheard.getLong("bytesUnacknowledged")).isEqualTo("lost".length());
        assertThat(unheard.getLong("retransmissions")).isPositive().isLessThan(unheard.getLong("segmentsSent"));
        assertThat(events).extracting(event -> event.getString("reason")).as("the link is closed").endsWith("PARENT_CLOSED");
    }

    @Test
    void lateTimersAreRecorded() throws IOException {
        List<RecordedEvent> events = record("io.kcp.LateTimers", () -> {
            try (EmbeddedLink link = EmbeddedLink.create()) {
                SessionRecorder session = link.establish(1);
                link.client().loseAll();
                session.session().writeAndFlush(link.text("lost"));
                link.settle();
                link.passMs(1_000);
                link.client().channel().runScheduledPendingTasks();
            }
        });
        assertThat(events).hasSize(1);
        assertThat(events.get(0).getDuration("delay")).isBetween(Duration.ofMillis(700), Duration.ofMillis(1_000));
        assertThat(events.get(0).getInt("waitingSessions")).isEqualTo(1);
    }

    @Test
    void statisticsShowTheDelayOfABlockedLoop() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder session = link.establish(1);
            assertThat(link.client().stats().maxTimerDelayMs()).isZero();
            link.client().loseAll();
            session.session().writeAndFlush(link.text("to be retransmitted"));
            link.settle();
            link.passMs(5_000);
            link.settle();
            link.client().channel().runScheduledPendingTasks();
            assertThat(link.client().stats().maxTimerDelayMs()).isBetween(4_000L, 5_000L);
        }
    }

    @Test
    void nothingIsAllocatedWithoutARecording() {
        int calls = 100_000;
        try (EmbeddedLink link = EmbeddedLink.create()) {
            DefaultKcpChannel session = (DefaultKcpChannel) link.establish(1).session();
            SessionEventListener<AbstractSession> events = LoopContext.EVENTS;
            assertThat(events.getClass()).as("a recorder").isNotEqualTo(SessionEventListener.class);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            events.opened(session);
            events.closed(session, 1);
            events.late(20, 1);
            threads.getCurrentThreadAllocatedBytes();
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < calls; i++) {
                events.opened(session);
                events.closed(session, i);
                events.late(i, i);
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(calls);
        }
    }

    /** The main class of a JVM that runs without the module of the flight recorder. */
    static final class WithoutRecorder {

        private WithoutRecorder() {
        }

        public static void main(String[] arguments) {
            try (EmbeddedLink link = EmbeddedLink.create()) {
                link.establish(1).session().close();
                link.settle();
                System.out.println(LoopContext.EVENTS.getClass().getSimpleName() + " " + link.client().stats().openedSessions()
                    + " " + present("io.micrometer.core.instrument.MeterRegistry"));
            }
        }

        private static boolean present(String name) {
            try {
                Class.forName(name);
                return true;
            } catch (ClassNotFoundException missing) {
                return false;
            }
        }
    }

    @Test
    @Tag("slow")
    void sessionsWorkWithoutFlightRecorderAndMicrometer() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("micrometer")).collect(Collectors.joining(File.pathSeparator));
        try (ChildProcess java = ChildProcess.java("--limit-modules",
            "java.base,java.logging,java.management,java.naming,jdk.unsupported", "-cp", classPath, WithoutRecorder.class.getName())) {
            String output = java.awaitSuccess(30);
            assertThat(output.lines().reduce((first, second) -> second)).as(output).hasValue("SessionEventListener 1 false");
        }
    }
}
