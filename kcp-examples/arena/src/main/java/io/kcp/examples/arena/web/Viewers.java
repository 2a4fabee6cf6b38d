package io.kcp.examples.arena.web;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;

/** Limits the number of open event streams. Thread safe. */
final class Viewers {

    private final AtomicInteger present = new AtomicInteger();
    private final int most;
    private final Duration maxSilence;

    Viewers(int most, Duration maxSilence) {
        this.most = most;
        this.maxSilence = maxSilence;
    }

    /**
     * Admits a viewer to a stream, or rejects the viewer with HTTP status 503 if too many streams are open. A stream without any event for
     * a long time ends, because its viewer may be gone. Browsers open such a stream again.
     */
    <T> Flux<T> admit(Flux<T> events) {
        return Flux.defer(() -> {
            if (present.incrementAndGet() > most) {
                present.decrementAndGet();
                return Flux.error(new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE,
                    most + " event streams are open (arena.max-viewers); try again later"));
            }
            return events.timeout(maxSilence, Flux.empty()).doFinally(end -> present.decrementAndGet());
        });
    }
}
