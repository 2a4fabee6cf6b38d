package io.kcp.bench.rig;

import java.util.concurrent.atomic.LongAdder;
import tools.jackson.databind.node.ObjectNode;

/** Counts transferred bytes and messages. Thread-safe. */
public final class LoadMeter {

    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder messagesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder messagesOut = new LongAdder();

    /** Values of all counters at one time, including the number of bytes that the live threads of this process have allocated. */
    public record Snapshot(long ns, double cpuMs, long allocatedBytes, long bytesIn, long messagesIn, long bytesOut, long messagesOut) {

        /** Returns the increase of all values since an earlier time. */
        public Snapshot since(Snapshot earlier) {
            return new Snapshot(ns - earlier.ns, cpuMs - earlier.cpuMs, allocatedBytes - earlier.allocatedBytes,
                bytesIn - earlier.bytesIn, messagesIn - earlier.messagesIn, bytesOut - earlier.bytesOut, messagesOut - earlier.messagesOut);
        }

        /** Returns the time in seconds. */
        public double seconds() {
            return ns / 1e9;
        }

        ObjectNode addTo(ObjectNode event) {
            return event.put("ns", ns).put("cpu_ms", cpuMs).put("bytes", bytesIn).put("messages", messagesIn)
                .put("bytes_sent", bytesOut).put("messages_sent", messagesOut).put("allocated_bytes", allocatedBytes);
        }
    }

    /** Counts received data. */
    public void received(long bytes, long messages) {
        bytesIn.add(bytes);
        messagesIn.add(messages);
    }

    /** Counts sent data. */
    public void sent(long bytes, long messages) {
        bytesOut.add(bytes);
        messagesOut.add(messages);
    }

    /** Returns the values of all counters. */
    public Snapshot snapshot() {
        return new Snapshot(System.nanoTime(), ProcessStats.cpuMs(), ProcessStats.allocatedBytes(), bytesIn.sum(),
            messagesIn.sum(), bytesOut.sum(), messagesOut.sum());
    }
}
