package io.kcp.spring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.AcceptFilter;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerCustomizer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.KcpSessionHandlerProvider;
import io.kcp.spring.properties.KcpPropertyException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Conditions of servers, and the handlers of their sessions. */
@Timeout(60)
@Tag("jdk")
class KcpServerAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withInitializer(new LocalPortsInitializer())
        .withPropertyValues("spring.main.banner-mode=off")
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class));

    private static int port(ApplicationContext context, String name) {
        return context.getEnvironment().getRequiredProperty("local.kcp." + name + ".port", Integer.class);
    }

    private static void assertAnswers(ApplicationContext context, String name, String answer) throws InterruptedException {
        try (EchoClient client = new EchoClient(port(context, name))) {
            assertThat(client.ask("hello")).isEqualTo(answer);
        }
    }

    /** Responds to each message with the same text. */
    private static ChannelInitializer<KcpChannel> answering(String text) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ReferenceCountUtil.release(message);
                        context.writeAndFlush(context.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.UTF_8)));
                    }
                });
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class Echo {

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class GameAndChat {

        @Bean
        ChannelInitializer<KcpChannel> game() {
            return answering("game");
        }

        @Bean
        @Qualifier("chat")
        ChannelInitializer<KcpChannel> talk() {
            return answering("chat");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoUnnamed {

        @Bean
        ChannelInitializer<KcpChannel> one() {
            return answering("one");
        }

        @Bean
        ChannelInitializer<KcpChannel> two() {
            return answering("two");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyGame {

        @Bean
        ChannelInitializer<KcpChannel> game() {
            return answering("game");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherInitializer {

        @Bean
        ChannelInitializer<Channel> tcp() {
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    throw new AssertionError("must not be used for KCP");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Provider {

        @Bean
        KcpSessionHandlerProvider forChat() {
            return name -> name.equals("chat") ? answering("provided") : null;
        }
    }

    @Test
    void noServerWithoutPort() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpServers.class)
            .doesNotHaveBean(KcpServerStartStopLifecycle.class));
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=${NOBODY_SET_THIS:}")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KcpServers.class));
        runner.withPropertyValues("kcp.server.profile=fast").run(context -> assertThat(context).doesNotHaveBean(KcpServers.class));
    }

    @Test
    void portAndInitializerCreateServer() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0").run(context -> {
            KcpServers servers = context.getBean(KcpServers.class);
            assertThat(servers).hasSize(1);
            KcpServer server = servers.find("server");
            assertThat(server).isNotNull();
            assertThat(server.localAddress().getPort()).isEqualTo(port(context, "server")).isPositive();
            assertThat(servers.find("game")).isNull();
            assertAnswers(context, "server", "hello");
        });
    }

    @Test
    void portFromEnvironmentVariableCreatesServer() {
        runner.withUserConfiguration(Echo.class).withInitializer(context -> context.getEnvironment().getPropertySources()
            .addFirst(new SystemEnvironmentPropertySource("systemEnvironment",
                Map.of("KCP_SERVER_PORT", "0")))).run(context -> assertThat(context).hasSingleBean(KcpServers.class));
    }

    @Test
    void beanNameOrQualifierSelectsInitializer() {
        runner.withUserConfiguration(GameAndChat.class).withPropertyValues("kcp.servers.game.port=0", "kcp.servers.chat.port=0")
            .run(context -> {
                assertThat(context.getBean(KcpServers.class)).extracting(KcpServer::name).containsExactly("game", "chat");
                assertThat(port(context, "game")).isNotEqualTo(port(context, "chat"));
                assertAnswers(context, "game", "game");
                assertAnswers(context, "chat", "chat");
            });
    }

    @Test
    void singleInitializerServesAllServers() {
        runner.withUserConfiguration(Echo.class)
            .withPropertyValues("kcp.server.port=0", "kcp.servers.game.port=0", "kcp.servers.chat.port=0").run(context -> {
                assertThat(context.getBean(KcpServers.class)).extracting(KcpServer::name).containsExactly("server", "game", "chat");
                assertAnswers(context, "server", "hello");
                assertAnswers(context, "game", "hello");
                assertAnswers(context, "chat", "hello");
            });
    }

    @Test
    void providerServesItsServers() {
        runner.withUserConfiguration(OnlyGame.class, Provider.class)
            .withPropertyValues("kcp.servers.game.port=0", "kcp.servers.chat.port=0").run(context -> {
                assertAnswers(context, "game", "game");
                assertAnswers(context, "chat", "provided");
            });
    }

    private static void assertFailsWith(AssertableApplicationContext context, Class<? extends Throwable> type, String... parts) {
        assertThat(context).hasFailed();
        Throwable failure = context.getStartupFailure();
        while (failure.getCause() != null && !type.isInstance(failure)) {
            failure = failure.getCause();
        }
        assertThat(failure).isInstanceOf(type).hasMessageContainingAll(parts);
    }

    @Test
    void missingHandlerFailsWithRemedy() {
        runner.withPropertyValues("kcp.server.port=0").run(context -> assertFailsWith(context, KcpSessionHandlerException.class,
            "No bean handles the sessions of the KCP server \"server\"", "Define a bean of type ChannelInitializer<KcpChannel>"));
    }

    @Test
    void initializerOfOtherChannelTypeIsIgnored() {
        runner.withUserConfiguration(OtherInitializer.class).withPropertyValues("kcp.server.port=0")
            .run(context -> assertFailsWith(context, KcpSessionHandlerException.class, "No bean handles"));
    }

    @Test
    void initializerNamedAfterOtherServerIsNotUsed() {
        runner.withUserConfiguration(OnlyGame.class).withPropertyValues("kcp.servers.game.port=0", "kcp.servers.chat.port=0")
            .run(context -> assertFailsWith(context, KcpSessionHandlerException.class, "No bean handles", "\"chat\"",
                "@Qualifier(\"chat\")"));
    }

    @Test
    void ambiguousHandlersFailAndAreNamed() {
        runner.withUserConfiguration(TwoUnnamed.class).withPropertyValues("kcp.server.port=0").run(context -> assertFailsWith(context,
            KcpSessionHandlerException.class, "Several handlers", "\"server\": one, two", "@Qualifier(\"server\")"));
    }

    @Test
    void initializerAndProviderForSameServerFail() {
        runner.withUserConfiguration(Echo.class, Provider.class).withPropertyValues("kcp.servers.chat.port=0")
            .run(context -> assertFailsWith(context, KcpSessionHandlerException.class, "Several handlers", "\"chat\"", "EchoInitializer"));
    }

    @Test
    void namedServerWithoutPortFails() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.servers.game.mtu=1200B").run(context -> assertFailsWith(context,
            KcpPropertyException.class, "kcp.servers.game.port", "not set", "0 for any free port"));
    }

    @Test
    void namedServerMustNotHaveNameOfDefaultServer() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0", "kcp.servers.server.port=0")
            .run(context -> assertFailsWith(context, KcpPropertyException.class, "kcp.servers.server", "different name"));
    }

    @Test
    void failedStartLeavesNoServerAndNoThread() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.servers.first.port=0", "kcp.servers.second.port=0",
            "kcp.servers.second.address=192.0.2.1").run(context -> {
                assertFailsWith(context, KcpBindException.class, "192.0.2.1", "kcp.servers.second.port");
                // A thread exits shortly after its event loop has terminated.
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName).noneMatch(name -> name.startsWith("kcp-first") || name.startsWith("kcp-second")));
            });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        static final AttributeKey<String> KEY = AttributeKey.valueOf("customized by");

        final List<String> calls = new ArrayList<>();

        @Bean
        @Order(2)
        KcpServerCustomizer second() {
            return (name, bootstrap) -> {
                calls.add("second " + name);
                bootstrap.childAttr(KEY, "second");
            };
        }

        @Bean
        @Order(1)
        KcpServerCustomizer first() {
            return (name, bootstrap) -> {
                calls.add("first " + name);
                bootstrap.childAttr(KEY, "first").acceptFilter(AcceptFilter.ALL);
            };
        }
    }

    @Test
    void customizersAreCalledInOrderForEachServer() {
        runner.withUserConfiguration(Echo.class, Customizers.class).withPropertyValues("kcp.server.port=0", "kcp.servers.game.port=0")
            .run(context -> {
                assertThat(context.getBean(Customizers.class).calls)
                    .containsExactly("first server", "second server", "first game", "second game");
                assertAnswers(context, "game", "hello");
                KcpChannel session = context.getBean(EchoInitializer.class).sessions.element();
                assertThat(session.attr(Customizers.KEY).get()).isEqualTo("second");
            });
    }

    @Test
    void wireSettingsReflectCustomizers() {
        byte[] key = "sixteen bytes ..".getBytes(StandardCharsets.US_ASCII);
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0", "kcp.server.mtu=1300B")
            .withBean(KcpServerCustomizer.class, () -> (name, bootstrap) -> bootstrap.crypto(CryptoConfig.of("aes-128", key))
                .fec(FecConfig.of(new FecShape(10, 3))).childOption(KcpChannelOption.RECEIVE_WINDOW, 777))
            .run(context -> assertThat(context.getBean(KcpServers.class).iterator().next().wireSettings())
                .contains("DialWithOptions(addr, aes-128, 10, 3)", "SetWindowSize(777, 128)", "SetMtu(1300)"));
    }

    @Test
    void worksWithoutMicrometerAndWithoutActuator() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0")
            .withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate", "org.springframework.boot.health",
                "org.springframework.boot.micrometer"))
            .run(context -> assertAnswers(context, "server", "hello"));
    }

    @Test
    void serversStartAndStopInPhasesOfBootsWebServers() {
        assertThat(KcpServers.GRACEFUL_SHUTDOWN_PHASE).isEqualTo(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
        assertThat(KcpServers.START_STOP_LIFECYCLE_PHASE).isEqualTo(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0").run(context -> {
            assertThat(context.getBean(KcpServerGracefulShutdownLifecycle.class).getPhase())
                .isEqualTo(KcpServers.GRACEFUL_SHUTDOWN_PHASE);
            assertThat(context.getBean(KcpServerStartStopLifecycle.class).getPhase()).isEqualTo(KcpServers.START_STOP_LIFECYCLE_PHASE);
        });
    }

    @Test
    void restartedContextServesAgain() {
        runner.withUserConfiguration(Echo.class).withPropertyValues("kcp.server.port=0").run(context -> {
            KcpServer server = context.getBean(KcpServers.class).find("server");
            assertAnswers(context, "server", "hello");
            context.stop();
            assertThat(catchThrowable(server::channel)).isInstanceOf(IllegalStateException.class)
                .hasMessage("The KCP server \"server\" is not running");
            context.start();
            assertAnswers(context, "server", "hello");
        });
    }
}
