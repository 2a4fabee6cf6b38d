package io.kcp.bench;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Gives JMH threads of the kind that event loops run on: Netty recycles buffers without allocation only there. JMH makes
 * one by its name, {@code -Djmh.executor=CUSTOM -Djmh.executor.class=…}.
 */
public final class EventLoopThreads extends ThreadPoolExecutor {

    /** The options of a forked JVM. */
    static final String CUSTOM = "-Djmh.executor=CUSTOM";
    /** See {@link #CUSTOM}. */
    static final String CLASS = "-Djmh.executor.class=io.kcp.bench.EventLoopThreads";
    /** The leak detector follows one buffer in 128 by default, and allocates for it. */
    static final String NO_LEAK_DETECTION = "-Dio.netty.leakDetection.level=disabled";

    /**
     * What JMH calls.
     *
     * @param maxThreads threads of the benchmark
     * @param prefix     for their names
     */
    public EventLoopThreads(int maxThreads, String prefix) {
        super(maxThreads, maxThreads, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(prefix));
    }
}
