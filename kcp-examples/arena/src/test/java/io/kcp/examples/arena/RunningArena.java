package io.kcp.examples.arena;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.spring.KcpServers;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway on free ports of the loopback interface, as a user starts it. */
public final class RunningArena implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    /** Starts it with further properties. */
    public RunningArena(String... properties) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--server.address=127.0.0.1", "--kcp.server.port=0",
            "--kcp.server.address=127.0.0.1", "--logging.level.root=warn"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        context = SpringApplication.run(ArenaApplication.class, arguments.toArray(String[]::new));
    }

    /** Where players come in. */
    public InetSocketAddress players() {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find("server")).localAddress();
    }

    /** Where the page is. */
    public String page() {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port") + '/';
    }

    public Gateway gateway() {
        return context.getBean(Gateway.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }
}
