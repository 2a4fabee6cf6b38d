package io.kcp.examples.arena;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.server.Gateway;
import io.kcp.spring.KcpServers;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A gateway on free ports of the loopback interface, as a user starts it. */
public final class RunningArena implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    /** Starts it with further properties. */
    public RunningArena(String... properties) {
        this(null, properties);
    }

    /** Starts it with a backplane that the caller closes. */
    public RunningArena(@Nullable RoomBackplane shared, String... properties) {
        Map<String, String> arguments = new LinkedHashMap<>(Map.of("server.port", "0", "server.address", "127.0.0.1",
            "kcp.server.port", "0", "kcp.server.address", "127.0.0.1", "logging.level.root", "warn"));
        for (String property : properties) {
            int equals = property.indexOf('=');
            arguments.put(property.substring(0, equals), property.substring(equals + 1));
        }
        SpringApplicationBuilder application = new SpringApplicationBuilder(ArenaApplication.class);
        if (shared != null) {
            arguments.put("arena.backplane", "given");
            application.initializers(starting -> ((GenericApplicationContext) starting).registerBean(RoomBackplane.class, () -> shared,
                definition -> ((AbstractBeanDefinition) definition).setDestroyMethodName("")));
        }
        context = application.run(arguments.entrySet().stream().map(entry -> "--" + entry).toArray(String[]::new));
    }

    /** Where players come in. */
    public InetSocketAddress players() {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find("server")).localAddress();
    }

    /** Where the page is. */
    public String page() {
        return "http://127.0.0.1:" + pagePort() + '/';
    }

    /** The TCP port of the page. */
    public int pagePort() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public Gateway gateway() {
        return context.getBean(Gateway.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Stops what has a lifecycle and starts it again, as a checkpoint of the JVM does. Free ports are others then. */
    public void restart() {
        context.stop();
        context.start();
    }

    @Override
    public void close() {
        context.close();
    }
}
