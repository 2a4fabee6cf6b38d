package io.kcp.netty.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

class FailedSourcesTest {

    private static final InetSocketAddress SOURCE = new InetSocketAddress("192.0.2.1", 4_000);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.1", 4_001);

    private final FailedSources sources = new FailedSources(new SecureRandom());

    @Test
    void addressIsRememberedForAtLeastOnePeriod() {
        assertThat(sources.contains(SOURCE, 0)).isFalse();
        sources.add(SOURCE, 100);
        assertThat(sources.contains(SOURCE, 100 + FailedSources.PERIOD_MS)).isTrue();
        assertThat(sources.contains(OTHER, 100)).isFalse();
        assertThat(sources.contains(SOURCE, 100 + 2 * FailedSources.PERIOD_MS)).isFalse();
    }

    @Test
    void addressIsRememberedLongerIfItIsAddedAgain() {
        for (int ms = 0; ms < 10 * FailedSources.PERIOD_MS; ms += FailedSources.PERIOD_MS / 2) {
            sources.add(SOURCE, ms);
        }
        assertThat(sources.contains(SOURCE, 10 * FailedSources.PERIOD_MS)).isTrue();
    }
}
