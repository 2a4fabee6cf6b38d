package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.node.ObjectNode;

/** Options, sockets, counters and output that the workload of a client uses. */
final class LoadContext {

    final WorkloadOptions options;
    final ClientSockets sockets;
    final LoadMeter meter;
    final Termination termination;
    private final PrintStream out;
    private final List<KcpChannel> countedSessions = new CopyOnWriteArrayList<>();

    LoadContext(WorkloadOptions options, ClientSockets sockets, LoadMeter meter, Termination termination, PrintStream out) {
        this.options = options;
        this.sockets = sockets;
        this.meter = meter;
        this.termination = termination;
        this.out = out;
    }

    /**
     * Opens a session and includes its datagrams in {@link #counts()}. Because counting queries each session, only a few sessions
     * should be counted.
     */
    void openCounted(ChannelHandler handler) {
        countedSessions.add(sockets.open(handler).syncUninterruptibly().channel());
    }

    /** Opens a session. If that fails, the program exits with an error. */
    void open(ChannelHandler handler) {
        try {
            sockets.open(handler).addListener((ChannelFutureListener) future -> {
                if (!future.isSuccess()) {
                    termination.fail(future.cause());
                }
            });
        } catch (RuntimeException failure) {
            termination.fail(failure);
        }
    }

    SessionCounts counts() {
        return SessionCounts.of(countedSessions);
    }

    void print(ObjectNode event) {
        out.println(event);
    }

    static void sleep(double seconds) throws InterruptedException {
        Thread.sleep((long) (seconds * 1e3));
    }

    /** Polls until the condition is true or the timeout expires. */
    static void poll(Duration interval, Duration timeout, Callable<Boolean> condition) throws InterruptedException {
        try {
            Awaitility.await().pollInSameThread().pollInterval(interval).atMost(timeout)
                .until(() -> Thread.currentThread().isInterrupted() || condition.call());
        } catch (ConditionTimeoutException timeoutPassed) {
            return;
        }
        // When Awaitility is interrupted, it sets the interrupt status of the thread instead of throwing an InterruptedException.
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Waits for the warm-up to end, and then measures for {@code --seconds}. */
    Interval measure() throws InterruptedException {
        sleep(options.warmupSeconds);
        return measureDuring(() -> sleep(options.seconds));
    }

    /** Measures the load while an action runs. */
    Interval measureDuring(Action action) throws InterruptedException {
        SessionCounts countsBefore = counts();
        print(Json.event("measuring"));
        LoadMeter.Snapshot before = meter.snapshot();
        action.run();
        return new Interval(meter.snapshot().since(before), counts().datagrams() - countsBefore.datagrams());
    }

    /** An action that blocks. */
    interface Action {
        void run() throws InterruptedException;
    }

    /**
     * Measurements of the load between two points in time.
     *
     * @param load      transferred data, CPU time and allocations of this process
     * @param datagrams datagrams of the counted sessions
     */
    record Interval(LoadMeter.Snapshot load, long datagrams) {

        /**
         * Adds CPU time and allocated memory to an event. Garbage per datagram is the number of allocated bytes divided by the
         * datagrams in both directions.
         */
        ObjectNode addTo(ObjectNode event) {
            event.put("seconds", load.seconds()).put("cpu_ms", load.cpuMs()).put("allocated_bytes", load.allocatedBytes());
            return datagrams == 0 ? event : event.put("datagrams", datagrams)
                .put("garbage_bytes_per_datagram", (double) load.allocatedBytes() / datagrams);
        }
    }
}
