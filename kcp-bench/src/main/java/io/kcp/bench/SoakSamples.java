package io.kcp.bench;

import com.sun.management.UnixOperatingSystemMXBean;
import io.kcp.bench.rig.ProcessStats;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/** Memory, threads and files of the process at times when no session is open. The first sample is the baseline. */
final class SoakSamples {

    /** Growth of the heap that is permitted for each session. */
    static final double MAX_HEAP_BYTES_PER_SESSION = 1;
    /** Growth of the buffer memory that is permitted: the largest chunk that Netty's allocators allocate at once. */
    static final long MAX_DIRECT_GROWTH_BYTES = 8 << 20;
    /** Fewer samples give no confidence interval. */
    private static final int MIN_REGRESSION_SAMPLES = 3;

    /**
     * The state of the process after a garbage collection.
     *
     * @param sessions    sessions opened so far
     * @param heapBytes   used heap
     * @param directBytes memory of Netty's direct buffers
     * @param threads     live threads
     * @param files       open file descriptors, or 0 if the system does not report them
     */
    record Sample(long sessions, long heapBytes, long directBytes, int threads, long files) {

        /** Collects garbage and returns the state of this process. */
        static Sample take(long sessions) {
            long heapBytes = ProcessStats.heapAfterCollectionBytes();
            long directBytes = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
            long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount() : 0;
            return new Sample(sessions, heapBytes, directBytes, ManagementFactory.getThreadMXBean().getThreadCount(), files);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%7d sessions, heap %.3f MB, direct %.2f MB, %d threads, %d files", sessions, heapBytes / 1e6,
                directBytes / 1e6, threads, files);
        }
    }

    private final List<Sample> samples = new ArrayList<>();
    private final SimpleRegression heap = new SimpleRegression();

    SoakSamples(Sample baseline) {
        add(baseline);
    }

    /** Returns samples whose baseline is the last one of these. */
    SoakSamples continued() {
        return new SoakSamples(samples.get(samples.size() - 1));
    }

    void add(Sample sample) {
        samples.add(sample);
        heap.addData(sample.sessions, sample.heapBytes);
    }

    /** Returns the growth of the heap for each session, according to a linear regression. */
    double heapBytesPerSession() {
        return heap.getSlope();
    }

    /** Returns half the width of the 95 % confidence interval of {@link #heapBytesPerSession()}. */
    private double heapUncertainty() {
        return samples.size() < MIN_REGRESSION_SAMPLES ? Double.NaN : heap.getSlopeConfidenceInterval();
    }

    /** Returns the growth of the heap as text. */
    String heapGrowth() {
        return String.format(Locale.ROOT, "%+.2f ± %.2f bytes per session", heapBytesPerSession(), heapUncertainty());
    }

    /** Returns whether the growth of the heap is significant and larger than permitted. */
    boolean heapGrows() {
        return samples.size() >= MIN_REGRESSION_SAMPLES && heapBytesPerSession() - heapUncertainty() > MAX_HEAP_BYTES_PER_SESSION;
    }

    /** Returns the requirements that were not met. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        Sample first = samples.get(0);
        Sample last = samples.get(samples.size() - 1);
        if (heapGrows()) {
            failures.add("the heap grows by " + heapGrowth());
        }
        if (last.directBytes - first.directBytes > MAX_DIRECT_GROWTH_BYTES) {
            failures.add("the buffer memory grew from " + first.directBytes + " to " + last.directBytes + " bytes");
        }
        if (last.threads > first.threads) {
            failures.add("the number of threads grew from " + first.threads + " to " + last.threads);
        }
        if (last.files > first.files) {
            failures.add("the number of open files grew from " + first.files + " to " + last.files);
        }
        return failures;
    }
}
