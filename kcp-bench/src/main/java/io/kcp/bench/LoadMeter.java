package io.kcp.bench;

import java.util.concurrent.atomic.LongAdder;

/** Counts what event loops move; any thread may ask. */
final class LoadMeter {

    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder messagesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder messagesOut = new LongAdder();

    /** Everything so far; {@code allocatedBytes} is what the threads of this process that are alive have allocated. */
    record Moment(long ns, double cpuMs, long allocatedBytes, long bytesIn, long messagesIn, long bytesOut, long messagesOut) {

        /** What happened since an earlier moment. */
        Moment since(Moment earlier) {
            return new Moment(ns - earlier.ns, cpuMs - earlier.cpuMs, allocatedBytes - earlier.allocatedBytes,
                bytesIn - earlier.bytesIn, messagesIn - earlier.messagesIn, bytesOut - earlier.bytesOut,
                messagesOut - earlier.messagesOut);
        }

        double seconds() {
            return ns / 1e9;
        }

        JsonLine addTo(JsonLine line) {
            return line.put("ns", ns).put("cpu_ms", cpuMs).put("bytes", bytesIn).put("messages", messagesIn)
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

    Moment now() {
        return new Moment(System.nanoTime(), ProcessMeter.cpuMs(), ProcessMeter.allocatedBytes(), bytesIn.sum(),
            messagesIn.sum(), bytesOut.sum(), messagesOut.sum());
    }
}
