package io.kcp.examples.arena.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import java.util.Map;

class RedisBackplanePropertiesTest {

    @Test
    void theDefaultsAreThoseOfOneMachine() {
        RedisBackplaneProperties properties = bind(Map.of());
        assertThat(properties).isEqualTo(
            new RedisBackplaneProperties("redis://localhost:6379", 100_000, Duration.ofDays(1), Duration.ofSeconds(5)));
    }

    @Test
    void whatCannotWorkIsRefusedByName() {
        refused("arena.redis.entries", "0", "at least 1");
        refused("arena.redis.kept", "0s", "at least 1 ms");
        refused("arena.redis.timeout", "2s", "more than PT2S");
    }

    private static void refused(String property, String value, String expected) {
        assertThatThrownBy(() -> bind(Map.of(property, value))).rootCause().hasMessageStartingWith(property + ": ")
            .hasMessageContaining(expected);
    }

    private static RedisBackplaneProperties bind(Map<String, String> values) {
        return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("arena.redis", RedisBackplaneProperties.class);
    }
}
