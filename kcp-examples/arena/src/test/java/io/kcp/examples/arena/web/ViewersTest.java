package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;
import reactor.util.retry.Retry;

@Timeout(60)
class ViewersTest {

    private static final Duration PATIENCE = Duration.ofMillis(200);

    @Test
    void viewerThatDoesNotReadIsDisconnected() throws Exception {
        Viewers viewers = new Viewers(1, PATIENCE);
        Flux<Long> shown = viewers.admit(Flux.interval(Duration.ofMillis(10)).onBackpressureDrop());
        CountDownLatch ended = new CountDownLatch(1);
        shown.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookFinally(SignalType how) {
                ended.countDown();
            }
        });
        assertThatThrownBy(shown::blockFirst).isInstanceOf(ResponseStatusException.class);
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        // Waits, because the stream ends shortly before the number of viewers is decremented.
        Flux<Long> asksAgain = shown.retryWhen(Retry.fixedDelay(100, Duration.ofMillis(50)));
        assertThat(asksAgain.take(3).collectList().block(Duration.ofSeconds(30))).hasSize(3);
    }

    /** Lasts longer than the time after which a stream without any event ends. That time is long, because a busy machine delays events. */
    @Test
    void readingViewerStaysConnected() {
        Viewers viewers = new Viewers(1, Duration.ofSeconds(2));
        Flux<Long> shown = viewers.admit(Flux.interval(Duration.ofMillis(10)));
        assertThat(shown.take(300).collectList().block(Duration.ofSeconds(30))).hasSize(300);
    }
}
