package io.kcp.examples.arena;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Game server of the arena example, which players join over KCP and browsers observe over HTTP. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class ArenaApplication {

    /** Creates the application configuration. */
    public ArenaApplication() {
    }

    /**
     * Runs a gateway until the process is stopped.
     *
     * @param arguments Spring properties, for example {@code --kcp.server.port=9000}
     */
    public static void main(String... arguments) {
        SpringApplication.run(ArenaApplication.class, arguments);
    }
}
