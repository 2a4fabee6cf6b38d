package io.kcp.bench.rig;

import java.io.PrintStream;
import java.util.SplittableRandom;
import tools.jackson.databind.node.ObjectNode;

/** Options, protocol, counters and output that the workload of a client uses. */
public final class Load {

    private final Setup setup;
    private final WorkloadOptions options;
    private final Protocol protocol;
    private final int port;
    private final PrintStream out;

    Load(Setup setup, WorkloadOptions options, Protocol protocol, int port, PrintStream out) {
        this.setup = setup;
        this.options = options;
        this.protocol = protocol;
        this.port = port;
        this.out = out;
    }

    /** Returns the part of the command line that the library knows too. */
    public Setup setup() {
        return setup;
    }

    /** Returns the counters of this process. */
    public LoadMeter meter() {
        return setup.meter();
    }

    /** Returns the port of the server. */
    public int port() {
        return port;
    }

    /** Returns the number of sessions of the workloads that write as fast as possible. */
    public int connections() {
        return options.connections;
    }

    /** Returns the number of bytes that an echo session may have in flight. */
    public int outstandingBytes() {
        return Math.max(setup.writeBytes(), options.outstandingBytes);
    }

    WorkloadOptions options() {
        return options;
    }

    Protocol protocol() {
        return protocol;
    }

    /** Opens a session. If that fails, the listener is notified. */
    void connect(SessionListener listener) {
        try {
            protocol.connect(port, listener);
        } catch (Exception failure) {
            listener.failed(failure);
        }
    }

    /** Returns pseudo-random bytes that are the same on each call. */
    static byte[] block(int bytes) {
        byte[] block = new byte[bytes];
        new SplittableRandom(1).nextBytes(block);
        return block;
    }

    void print(ObjectNode event) {
        out.println(event);
    }

    /** Waits for the warm-up to end, and then measures for {@code --seconds}. */
    public Interval measure() throws InterruptedException {
        Waiting.sleep(options.warmupSeconds);
        return measureDuring(() -> Waiting.sleep(options.seconds));
    }

    /** Measures the load while an action runs. */
    Interval measureDuring(Waiting.Action action) throws InterruptedException {
        long datagramsBefore = datagrams();
        print(Events.event("measuring"));
        LoadMeter.Snapshot before = meter().snapshot();
        action.run();
        return new Interval(meter().snapshot().since(before), datagrams() - datagramsBefore);
    }

    private long datagrams() {
        ObjectNode stats = protocol.stats();
        return stats == null ? 0 : stats.path("datagrams_in").asLong(0) + stats.path("datagrams_out").asLong(0);
    }

    /**
     * Measurements of the load between two points in time.
     *
     * @param load      transferred data, CPU time and allocations of this process
     * @param datagrams datagrams of the sessions, or 0 if they are unknown
     */
    public record Interval(LoadMeter.Snapshot load, long datagrams) {

        /**
         * Adds CPU time and allocated memory to an event. Garbage per datagram is the number of allocated bytes divided by the
         * datagrams in both directions.
         */
        public ObjectNode addTo(ObjectNode event) {
            event.put("seconds", load.seconds()).put("cpu_ms", load.cpuMs()).put("allocated_bytes", load.allocatedBytes());
            return datagrams == 0 ? event : event.put("datagrams", datagrams)
                .put("garbage_bytes_per_datagram", (double) load.allocatedBytes() / datagrams);
        }
    }
}
