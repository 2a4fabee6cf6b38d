package io.kcp.examples.arena.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.resource.EpollProvider;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class RedisConnectionsTest {

    private static final Duration SOON = Duration.ofSeconds(5);

    @Test
    void aHostThatVanishesIsNoticedWithinSecondsWhetherOrNotItOwesAnAnswer() {
        SocketOptions socket = RedisConnections.options(Duration.ofSeconds(9)).getSocketOptions();
        assertThat(socket.isEnableTcpUserTimeout()).isTrue();
        assertThat(socket.getTcpUserTimeout().getTcpUserTimeout()).isPositive().isLessThanOrEqualTo(SOON);
        KeepAliveOptions probes = socket.getKeepAlive();
        assertThat(probes.isEnabled()).isTrue();
        assertThat(probes.getIdle().plus(probes.getInterval().multipliedBy(probes.getCount()))).isPositive().isLessThanOrEqualTo(SOON);
        assertThat(socket.getConnectTimeout()).isLessThanOrEqualTo(SOON);
    }

    /** The timeout of what was sent is not in java.net: without a native transport Lettuce leaves it out. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theTransportKnowsTheTimeout() {
        assertThat(EpollProvider.isAvailable()).isTrue();
    }
}
