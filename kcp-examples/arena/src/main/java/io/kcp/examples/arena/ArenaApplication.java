package io.kcp.examples.arena;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * A gateway of the arena: players over KCP, the page over HTTP. Alone it is the whole server; with {@code arena.backplane=redis}
 * it is one of many.
 */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class ArenaApplication {

    /** Creates the configuration. */
    public ArenaApplication() {
    }

    /**
     * Runs a gateway until the process is stopped.
     *
     * @param arguments properties of Spring, such as {@code --kcp.server.port=9000}
     */
    public static void main(String... arguments) {
        SpringApplication.run(ArenaApplication.class, arguments);
    }
}
