package io.kcp.interop.peer;

import com.sun.management.OperatingSystemMXBean;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Counts the payload of all sessions in this process, and reads the CPU time and memory of the process. */
public final class Meter {

    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static final int COLLECTIONS = 3;
    private static final long BETWEEN_COLLECTIONS_NS = 200_000_000;

    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder messagesReceived = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder messagesSent = new LongAdder();

    void received(int bytes) {
        bytesReceived.add(bytes);
        messagesReceived.increment();
    }

    void sent(int bytes) {
        bytesSent.add(bytes);
        messagesSent.increment();
    }

    long bytesReceived() {
        return bytesReceived.sum();
    }

    long bytesSent() {
        return bytesSent.sum();
    }

    JsonLine mark() {
        return JsonLine.event("mark").put("ns", System.nanoTime()).put("cpu_ms", SYSTEM.getProcessCpuTime() / 1e6)
            .put("bytes", bytesReceived.sum()).put("messages", messagesReceived.sum())
            .put("bytes_sent", bytesSent.sum()).put("messages_sent", messagesSent.sum());
    }

    static JsonLine memory() throws IOException {
        // Runs several collections, because reference processing releases some objects only after the first one. The load program of this
        // library runs the same number of collections.
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            LockSupport.parkNanos(BETWEEN_COLLECTIONS_NS);
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return JsonLine.event("memory").put("live_bytes", heap).put("rss_bytes", residentBytes())
            .put("direct_bytes", PlatformDependent.usedDirectMemory());
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        return -1;
    }
}
