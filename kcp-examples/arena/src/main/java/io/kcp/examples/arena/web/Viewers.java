package io.kcp.examples.arena.web;

import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;

/** Counts who looks at one thing, and refuses who is one too many. */
final class Viewers {

    private final AtomicInteger present = new AtomicInteger();
    private final int most;

    Viewers(int most) {
        this.most = most;
    }

    /** Shows something to one more, or fails with {@link TooManyViewersException}. */
    <T> Flux<T> admit(Flux<T> shown) {
        return Flux.defer(() -> {
            if (present.incrementAndGet() > most) {
                present.decrementAndGet();
                return Flux.error(new TooManyViewersException(most));
            }
            return shown.doFinally(end -> present.decrementAndGet());
        });
    }
}
