package io.kcp.bench;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AbstractHistogram;
import tools.jackson.databind.node.ObjectNode;

/** Counts transferred bytes and messages. Thread-safe. */
final class LoadMeter {

    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder messagesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder messagesOut = new LongAdder();

    /** Values of all counters at one time, including the number of bytes that the live threads of this process have allocated. */
    record Snapshot(long ns, double cpuMs, long allocatedBytes, long bytesIn, long messagesIn, long bytesOut, long messagesOut) {

        Snapshot since(Snapshot earlier) {
            return new Snapshot(ns - earlier.ns, cpuMs - earlier.cpuMs, allocatedBytes - earlier.allocatedBytes,
                bytesIn - earlier.bytesIn, messagesIn - earlier.messagesIn, bytesOut - earlier.bytesOut, messagesOut - earlier.messagesOut);
        }

        double seconds() {
            return ns / 1e9;
        }

        ObjectNode addTo(ObjectNode event) {
            return event.put("ns", ns).put("cpu_ms", cpuMs).put("bytes", bytesIn).put("messages", messagesIn)
                .put("bytes_sent", bytesOut).put("messages_sent", messagesOut).put("allocated_bytes", allocatedBytes);
        }
    }

    void received(long bytes, long messages) {
        bytesIn.add(bytes);
        messagesIn.add(messages);
    }

    void sent(long bytes, long messages) {
        bytesOut.add(bytes);
        messagesOut.add(messages);
    }

    Snapshot snapshot() {
        return new Snapshot(System.nanoTime(), ProcessStats.cpuMs(), ProcessStats.allocatedBytes(), bytesIn.sum(),
            messagesIn.sum(), bytesOut.sum(), messagesOut.sum());
    }

    /**
     * Adds percentiles of the recorded delays to an event, converted to the unit {@code us} or {@code ms}. The field names end with the
     * unit.
     */
    static ObjectNode addPercentiles(ObjectNode event, AbstractHistogram ns, String unit) {
        double nsPerUnit = unit.equals("us") ? 1e3 : 1e6;
        return ns.getTotalCount() == 0 ? event : event.put("p50_" + unit, ns.getValueAtPercentile(50) / nsPerUnit)
            .put("p90_" + unit, ns.getValueAtPercentile(90) / nsPerUnit).put("p99_" + unit, ns.getValueAtPercentile(99) / nsPerUnit)
            .put("p999_" + unit, ns.getValueAtPercentile(99.9) / nsPerUnit).put("max_" + unit, ns.getMaxValue() / nsPerUnit);
    }
}
