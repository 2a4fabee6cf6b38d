package io.kcp.examples.cluster;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the cluster example.
 *
 * @param leadTime time without renewal of a room's lock after which another gateway takes over the simulation of the world
 * @param kept     time for which Redis keeps the messages of a room after the last message
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
