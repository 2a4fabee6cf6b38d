package io.kcp.examples.arena.web;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;

/** Counts who looks at one thing, refuses who is one too many, and ends who takes nothing for long. */
final class Viewers {

    private final AtomicInteger present = new AtomicInteger();
    private final int most;
    private final Duration patience;

    Viewers(int most, Duration patience) {
        this.most = most;
        this.patience = patience;
    }

    /**
     * Shows something to one more, or fails with {@link TooManyViewersException}. It also ends if there is nothing to show for so long;
     * a browser asks again.
     */
    <T> Flux<T> admit(Flux<T> shown) {
        return Flux.defer(() -> {
            if (present.incrementAndGet() > most) {
                present.decrementAndGet();
                return Flux.error(new TooManyViewersException(most));
            }
            return shown.timeout(patience, Flux.empty()).doFinally(end -> present.decrementAndGet());
        });
    }
}
