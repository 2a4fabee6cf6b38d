package io.kcp.examples.cluster;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the cluster example.
 *
 * @param leadTime how long a gateway may simulate a room's world without renewing its lock; then another gateway takes over
 * @param kept     how long Redis keeps the messages of a room after the last one
 */
@ConfigurationProperties("arena.cluster")
record ClusterProperties(@DefaultValue("3s") Duration leadTime, @DefaultValue("1d") Duration kept) {

    ClusterProperties {
        atLeast("arena.cluster.lead-time", leadTime, Duration.ofSeconds(2));
        atLeast("arena.cluster.kept", kept, Duration.ofMinutes(1));
    }

    private static void atLeast(String name, Duration value, Duration minimum) {
        if (value.compareTo(minimum) < 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least " + minimum + ')');
        }
    }
}
