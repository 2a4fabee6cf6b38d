package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandler;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a client's work has to work with. */
final class LoadRun {

    final WorkOptions options;
    final ClientSockets sockets;
    final LoadMeter meter;
    final LoadEnd end;
    private final PrintStream out;
    private final List<KcpChannel> counted = new CopyOnWriteArrayList<>();

    LoadRun(WorkOptions options, ClientSockets sockets, LoadMeter meter, LoadEnd end, PrintStream out) {
        this.options = options;
        this.sockets = sockets;
        this.meter = meter;
        this.end = end;
        this.out = out;
    }

    /** Opens a session whose datagrams count; for a few. */
    void openCounted(ChannelHandler handler) {
        counted.add(sockets.open(handler).syncUninterruptibly().channel());
    }

    SessionCounts counts() {
        return SessionCounts.of(counted);
    }

    void print(JsonLine line) {
        line.printTo(out);
    }

    /** Says that the measured time begins. */
    void measuring() {
        print(JsonLine.event("measuring"));
    }

    /** Measures for the time that was asked for, after the warm-up. */
    Interval measure() {
        end.pause(options.warmupSeconds);
        return measureNow(() -> end.pause(options.seconds));
    }

    /** Measures while something lasts. */
    Interval measureNow(Runnable work) {
        SessionCounts countsBefore = counts();
        measuring();
        LoadMeter.Moment before = meter.now();
        work.run();
        return new Interval(meter.now().since(before), counts().datagrams() - countsBefore.datagrams());
    }

    /** What happened in the measured time; {@code datagrams} are those of the sessions that count. */
    record Interval(LoadMeter.Moment moment, long datagrams) {

        /** Garbage of a datagram is what this process allocated divided by the datagrams that it sent and received. */
        JsonLine addTo(JsonLine line) {
            line.put("seconds", moment.seconds()).put("cpu_ms", moment.cpuMs()).put("allocated_bytes", moment.allocatedBytes());
            return datagrams == 0 ? line : line.put("datagrams", datagrams)
                .put("garbage_bytes_per_datagram", (double) moment.allocatedBytes() / datagrams);
        }
    }
}
