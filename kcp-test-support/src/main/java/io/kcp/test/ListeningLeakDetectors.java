package io.kcp.test;

import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Creates the leak detectors of Netty with a listener. Netty calls the listeners only when it tracks another object of the same type, so
 * {@link #reportUnreachable} does that after a garbage collection.
 */
final class ListeningLeakDetectors extends ResourceLeakDetectorFactory {

    private static final int MAX_COLLECTIONS = 100;
    private static final long QUEUE_WAIT_MS = 50;

    private final ResourceLeakDetector.LeakListener listener;
    private final List<ResourceLeakDetector<Object>> detectors = new CopyOnWriteArrayList<>();

    private ListeningLeakDetectors(ResourceLeakDetector.LeakListener listener) {
        this.listener = listener;
    }

    /** Passes all later reports of leaks to the listener. Must be called before Netty creates its detectors. */
    static ListeningLeakDetectors install(ResourceLeakDetector.LeakListener listener) {
        ListeningLeakDetectors factory = new ListeningLeakDetectors(listener);
        setResourceLeakDetectorFactory(factory);
        // Loads the class of all buffers, which creates their detector.
        ByteBufUtil.setLeakListener(listener);
        if (factory.detectors.isEmpty()) {
            throw new IllegalStateException("Netty's buffers were used before the leak listener was installed.");
        }
        return factory;
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // overrides a method of Netty
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval, long maxActive) {
        return newResourceLeakDetector(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
        ResourceLeakDetector<T> detector = new Detector<>(resource, samplingInterval);
        detector.setLeakListener(listener);
        @SuppressWarnings("unchecked") // a detector accepts every object
        ResourceLeakDetector<Object> any = (ResourceLeakDetector<Object>) detector;
        detectors.add(any);
        return detector;
    }

    /** Collects garbage, and reports the leaks of all objects that were unreachable. */
    void reportUnreachable() {
        // The first collection may only make the references of the leaked objects pending.
        for (int round = 0; round < 2; round++) {
            collectGarbage();
            detectors.forEach(ListeningLeakDetectors::poll);
        }
    }

    private static void collectGarbage() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> collected = new PhantomReference<>(new Object(), queue);
        try {
            for (int i = 0; i < MAX_COLLECTIONS; i++) {
                System.gc();
                if (queue.remove(QUEUE_WAIT_MS) != null) {
                    return;
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            Reference.reachabilityFence(collected);
        }
        throw new IllegalStateException("The garbage collector found no unreachable object, so leaks cannot be detected.");
    }

    private static void poll(ResourceLeakDetector<Object> detector) {
        Object tracked = new Object();
        ResourceLeakTracker<Object> tracker = detector.trackForcibly(tracked);
        tracker.close(tracked);
    }

    /** Reports leaks even if no logger would print them. */
    private static final class Detector<T> extends ResourceLeakDetector<T> {

        Detector(Class<?> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }
    }
}
