package io.kcp.examples.arena;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.server.Gateway;
import io.kcp.spring.KcpServers;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
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
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--server.address=127.0.0.1", "--kcp.server.port=0",
            "--kcp.server.address=127.0.0.1", "--logging.level.root=warn"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        SpringApplicationBuilder application = new SpringApplicationBuilder(ArenaApplication.class);
        if (shared != null) {
            arguments.add("--arena.backplane=given");
            application.initializers(starting -> ((GenericApplicationContext) starting).registerBean(RoomBackplane.class, () -> shared,
                definition -> ((AbstractBeanDefinition) definition).setDestroyMethodName("")));
        }
        context = application.run(arguments.toArray(String[]::new));
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
