package io.kcp.bench.experiment;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The load program with a planted slowdown: a thread uses a fixed share of the user CPU time that the other Java threads use. It shows that
 * {@link Regression} notices a version that is slower.
 */
public final class SlowedLoad {

    private static final String PERCENT = "io.kcp.bench.slowdown";
    private static final long PAUSE_MS = 200;

    private SlowedLoad() {
    }

    /** Returns the load program of this build with a slowdown. */
    static Peer slowed(RunOptions options, double percent) {
        Peer program = Peer.ours(Peer.OURS, Peer.currentClassPath(), SlowedLoad.class.getName(), options);
        return program.withJvm(List.of("-D" + PERCENT + '=' + percent));
    }

    /** Starts the thread, and then the load program with the same arguments. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        double share = Double.parseDouble(System.getProperty(PERCENT, "0")) / 100;
        Thread thread = new Thread(() -> burn(share), "slowdown");
        thread.setDaemon(true);
        thread.start();
        try {
            Method main = Class.forName(Peer.LOAD).getMethod("main", String[].class);
            // The class need not be public.
            main.setAccessible(true);
            main.invoke(null, (Object) arguments);
        } catch (InvocationTargetException failure) {
            throw new IllegalStateException("the load program failed", failure.getCause());
        }
    }

    /** Keeps the user CPU time of this thread at the given share of that of the other threads. */
    private static void burn(double share) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long ownId = Thread.currentThread().getId();
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                long othersNs = LongStream.of(threads.getAllThreadIds()).filter(id -> id != ownId).map(threads::getThreadUserTime)
                    .filter(ns -> ns > 0).sum();
                long untilNs = System.nanoTime() + (long) (share * othersNs) - threads.getCurrentThreadUserTime();
                while (System.nanoTime() - untilNs < 0) {
                    Thread.onSpinWait();
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
