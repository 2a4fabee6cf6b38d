package io.kcp.examples.arena.web;

import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Keeps the last samples for who looks later. Added to by one thread.
 *
 * @param <T> what a sample is
 */
final class RecentSamples<T> {

    private final int kept;
    private final Sinks.Many<T> samples;

    RecentSamples(int kept) {
        this.kept = kept;
        samples = Sinks.many().replay().limit(kept);
    }

    void add(T sample) {
        samples.tryEmitNext(sample);
    }

    /**
     * Returns the samples that are kept, then those to come. Who is slow misses old ones: the sink would keep all that its slowest
     * viewer has not taken.
     */
    Flux<T> all() {
        return samples.asFlux().onBackpressureBuffer(kept, missed -> { }, BufferOverflowStrategy.DROP_OLDEST);
    }

    void end() {
        samples.tryEmitComplete();
    }
}
