package io.kcp.bench;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Base class with the JMH settings of all benchmarks. Benchmarks report nanoseconds per operation unless they override this setting. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {NanosecondBenchmark.CUSTOM_EXECUTOR, NanosecondBenchmark.EXECUTOR, NanosecondBenchmark.NO_LEAK_DETECTION})
public abstract class NanosecondBenchmark {

    static final String CUSTOM_EXECUTOR = "-Djmh.executor=CUSTOM";
    static final String EXECUTOR = "-Djmh.executor.class=io.kcp.bench.NanosecondBenchmark$EventLoopThreads";
    /** Disables Netty's leak detector, which would otherwise allocate an object for one in 128 buffers. */
    static final String NO_LEAK_DETECTION = "-Dio.netty.leakDetection.level=disabled";

    /**
     * Runs benchmarks, like event loops, on {@code FastThreadLocalThread} threads, because only these threads let Netty recycle buffers
     * without allocation.
     */
    public static final class EventLoopThreads extends ThreadPoolExecutor {

        /** Creates the executor with the number of threads and the name prefix that JMH passes. */
        public EventLoopThreads(int maxThreads, String prefix) {
            super(maxThreads, maxThreads, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(prefix));
        }
    }
}
