package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

class RecentSamplesTest {

    private static final int KEPT = 180;

    private final RecentSamples<Integer> samples = new RecentSamples<>(KEPT);

    /** Takes one, and the rest when it is told. */
    private static final class SlowViewer extends BaseSubscriber<Integer> {

        private final List<Integer> taken = new ArrayList<>();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        protected void hookOnNext(Integer sample) {
            taken.add(sample);
        }
    }

    @Test
    void whoComesLateGetsTheLastOnes() {
        add(1, 1000);
        assertThat(samples.all().take(KEPT).collectList().block()).hasSize(KEPT).startsWith(1000 - KEPT + 1).endsWith(1000);
    }

    @Test
    void forAViewerThatStallsNoMoreIsKeptThanForOneThatComesLate() {
        SlowViewer viewer = new SlowViewer();
        samples.all().subscribe(viewer);
        add(1, 10_000);
        assertThat(viewer.taken).containsExactly(1);
        viewer.requestUnbounded();
        assertThat(viewer.taken).hasSize(1 + KEPT).endsWith(10_000);
        add(10_001, 10_001);
        assertThat(viewer.taken).endsWith(10_001);
    }

    private void add(int first, int last) {
        for (int i = first; i <= last; i++) {
            samples.add(i);
        }
    }
}
