package io.kcp.examples.cluster;

import io.kcp.examples.arena.ArenaApplication;
import org.springframework.boot.SpringApplication;

/** Game server of the arena example that shares its rooms with other gateways through Redis. */
public final class ClusterApplication {

    private ClusterApplication() {
    }

    /**
     * Runs a gateway until the process is stopped.
     *
     * @param arguments Spring properties, for example {@code --spring.data.redis.url=redis://localhost:6379}
     */
    public static void main(String... arguments) {
        SpringApplication.run(new Class<?>[] {ArenaApplication.class, ClusterConfiguration.class}, arguments);
    }
}
