package io.kcp.spring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServers;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInitializer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The auto-configured session registry. */
@Timeout(60)
class KcpSessionRegistryAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class, KcpSessionRegistryAutoConfiguration.class));
    private final ApplicationContextRunner twoServers = runner.withPropertyValues("kcp.servers.game.port=0",
        "kcp.servers.game.address=127.0.0.1", "kcp.servers.chat.port=0", "kcp.servers.chat.address=127.0.0.1");

    /** Binds each session to a user in the initializer. */
    @Configuration(proxyBeanMethods = false)
    static class BindsAtOnce {

        private final AtomicInteger sessions = new AtomicInteger();

        @Bean
        ChannelInitializer<KcpChannel> binding(KcpSessionRegistry<String, String> registry) {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    registry.bind("user" + sessions.incrementAndGet(), session);
                    registry.join("lobby", session);
                }
            };
        }
    }

    private static int port(ApplicationContext context, String server) {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find(server)).localAddress().getPort();
    }

    @Test
    void sessionsOfAllServersAreRegisteredBeforeHandlersRun() {
        twoServers.withUserConfiguration(BindsAtOnce.class).run(context -> {
            @SuppressWarnings("unchecked")
            KcpSessionRegistry<String, String> registry = context.getBean(KcpSessionRegistry.class);
            try (EchoClient first = new EchoClient(port(context, "game"))) {
                first.send("a");
                await().atMost(Duration.ofSeconds(30)).until(() -> registry.find("user1") != null);
                try (EchoClient second = new EchoClient(port(context, "chat"))) {
                    second.send("a");
                    await().atMost(Duration.ofSeconds(30)).until(() -> registry.find("user2") != null);
                    assertThat(registry.size()).isEqualTo(2);
                    assertThat(registry.members("lobby")).hasSize(2);
                    registry.broadcast("lobby", Unpooled.wrappedBuffer(new byte[] {'x'}));
                    assertThat(first.ask("b")).isEqualTo("x");
                    assertThat(second.ask("b")).isEqualTo("x");
                }
            }
        });
    }

    @Test
    void closedSessionIsRemoved() {
        twoServers.withUserConfiguration(BindsAtOnce.class).run(context -> {
            KcpSessionRegistry<?, ?> registry = context.getBean(KcpSessionRegistry.class);
            try (EchoClient client = new EchoClient(port(context, "game"))) {
                client.send("a");
                await().atMost(Duration.ofSeconds(30)).until(() -> registry.size() == 1);
                context.close();
                await().atMost(Duration.ofSeconds(30)).until(() -> registry.size() == 0);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTypes {

        @Bean
        KcpSessionRegistry<Long, Integer> byNumber() {
            return new KcpSessionRegistry<>();
        }

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }
    }

    @Test
    void registryBeanOfApplicationReplacesDefault() {
        twoServers.withUserConfiguration(OwnTypes.class).run(context -> {
            assertThat(context).hasSingleBean(KcpSessionRegistry.class);
            try (EchoClient client = new EchoClient(port(context, "chat"))) {
                assertThat(client.ask("a")).isEqualTo("a");
                assertThat(context.getBean(KcpSessionRegistry.class).size()).isEqualTo(1);
            }
        });
    }

    @Test
    void registryCanBeDisabled() {
        runner.withPropertyValues("kcp.registry.enabled=false").run(context ->
            assertThat(context).doesNotHaveBean(KcpSessionRegistry.class));
    }

    @Test
    void registryBeanOfApplicationIsUnusedIfDisabled() {
        twoServers.withPropertyValues("kcp.registry.enabled=false").withUserConfiguration(OwnTypes.class).run(context -> {
            try (EchoClient client = new EchoClient(port(context, "chat"))) {
                assertThat(client.ask("a")).isEqualTo("a");
                assertThat(context.getBean(KcpSessionRegistry.class).size()).isZero();
            }
        });
    }

    @Test
    void registryExistsWithoutServers() {
        runner.run(context -> assertThat(context).hasSingleBean(KcpSessionRegistry.class).doesNotHaveBean(KcpServers.class));
    }
}
