package io.kcp.spring.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.DropReason;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpServerChannel;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Graceful shutdown of servers. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class DrainTest {

    private static final String UNFINISHED = "; sessions that did not finish within spring.lifecycle.timeout-per-shutdown-phase: ";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final List<String> events = new CopyOnWriteArrayList<>();
        private final CountDownLatch draining = new CountDownLatch(1);
        private final CompletableFuture<Void> finished = new CompletableFuture<>();
        private volatile boolean broken;

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }

        @Bean
        KcpDrainListener waiting(ApplicationAvailability availability) {
            return server -> {
                events.add("drain of " + server.name() + ", " + availability.getReadinessState());
                draining.countDown();
                if (broken) {
                    throw new AssertionError("for example a missing class");
                }
                return finished;
            };
        }

        @EventListener
        void onReadiness(AvailabilityChangeEvent<ReadinessState> event) {
            events.add("readiness " + event.getState());
        }
    }

    private static ConfigurableApplicationContext run(String... settings) {
        SpringApplication boot = new SpringApplication(Application.class);
        boot.setRegisterShutdownHook(false);
        boot.setDefaultProperties(Map.of("kcp.server.port", 0, "kcp.server.sockets", 1, "kcp.server.linger", "1s",
            "kcp.server.close-notice", false));
        return boot.run(settings);
    }

    private static KcpServer server(ConfigurableApplicationContext context) {
        return context.getBean(KcpServers.class).iterator().next();
    }

    private static Thread close(ConfigurableApplicationContext context) {
        Thread closing = new Thread(context::close, "closing");
        closing.start();
        return closing;
    }

    @Test
    void drainKeepsSessionsUntilListenersFinishAndRejectsNewOnes() throws Exception {
        ConfigurableApplicationContext context = run();
        Application application = context.getBean(Application.class);
        KcpServer server = server(context);
        int port = server.localAddress().getPort();
        try (EchoClient client = new EchoClient(port)) {
            assertThat(client.ask("before")).isEqualTo("before");
            Thread closing = close(context);
            assertThat(application.draining.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(client.ask("while it drains")).isEqualTo("while it drains");
            try (EchoClient late = new EchoClient(port)) {
                late.send("late");
                long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                while (!server.channel().collectStats().get(30, TimeUnit.SECONDS).dropped().containsKey(DropReason.CLOSING)) {
                    assertThat(System.nanoTime() - untilNanos).as("the late session was not refused").isNegative();
                }
                assertThat(late.answer(0)).isNull();
            }
            assertThat(closing.isAlive()).isTrue();
            application.finished.complete(null);
            closing.join(20_000);
            assertThat(closing.isAlive()).isFalse();
        }
        assertThat(application.events).containsExactly("readiness ACCEPTING_TRAFFIC", "readiness REFUSING_TRAFFIC",
            "drain of server, REFUSING_TRAFFIC");
        assertThat(context.isActive()).isFalse();
    }

    @Test
    void throwingListenerDoesNotDelayDrain() throws Exception {
        ConfigurableApplicationContext context = run("--spring.lifecycle.timeout-per-shutdown-phase=50s");
        context.getBean(Application.class).broken = true;
        Thread closing = close(context);
        closing.join(20_000);
        assertThat(closing.isAlive()).isFalse();
    }

    @Test
    void failedListenerDoesNotDelayDrain() throws Exception {
        ConfigurableApplicationContext context = run("--spring.lifecycle.timeout-per-shutdown-phase=50s");
        context.getBean(Application.class).finished.completeExceptionally(new IllegalStateException("a bug of the application"));
        Thread closing = close(context);
        closing.join(20_000);
        assertThat(closing.isAlive()).isFalse();
    }

    @Test
    void drainEndsAtShutdownPhaseTimeout(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = run("--spring.lifecycle.timeout-per-shutdown-phase=300ms");
        KcpServer server = server(context);
        KcpServerChannel channel = server.channel();
        try (EchoClient client = new EchoClient(server.localAddress().getPort());
            EchoClient other = new EchoClient(server.localAddress().getPort())) {
            assertThat(client.ask("before")).isEqualTo("before");
            assertThat(other.ask("before")).isEqualTo("before");
            long startNanos = System.nanoTime();
            context.close();
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).as("the default is 30 s")
                .isBetween(Duration.ofMillis(300), Duration.ofSeconds(25));
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.eventLoop().isTerminated()).isTrue();
        assertThat(output).containsOnlyOnce("has no more sessions").contains(UNFINISHED + 2)
            .doesNotContain("did not acknowledge");
    }

    @Test
    void lingeringSessionsAreReportedAtTimeout(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = run("--spring.lifecycle.timeout-per-shutdown-phase=300ms", "--kcp.server.linger=1h");
        context.getBean(Application.class).finished.complete(null);
        KcpServerChannel channel = server(context).channel();
        try (EchoClient client = new EchoClient(server(context).localAddress().getPort())) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
        channel.forEachSession(session ->
            session.channel().writeAndFlush(Unpooled.copiedBuffer("nobody is there", StandardCharsets.UTF_8))).get(30, TimeUnit.SECONDS);
        context.close();
        assertThat(output).containsOnlyOnce("has no more sessions").contains(UNFINISHED + 1);
    }

    @Test
    void reportExcludesSessionsClosedBeforeDrain(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = run("--kcp.server.linger=100ms");
        context.getBean(Application.class).finished.complete(null);
        KcpServerChannel channel = server(context).channel();
        try (EchoClient client = new EchoClient(server(context).localAddress().getPort())) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
        channel.forEachSession(session -> {
            session.channel().writeAndFlush(Unpooled.copiedBuffer("nobody is there", StandardCharsets.UTF_8));
            session.channel().close();
        }).get(30, TimeUnit.SECONDS);
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!channel.collectStats().get(30, TimeUnit.SECONDS).closed().containsKey(KcpCloseReason.LINGER_EXPIRED)) {
            assertThat(System.nanoTime() - untilNanos).as("the session was not cut off").isNegative();
        }
        context.close();
        assertThat(output).contains("has no more sessions").doesNotContain("did not acknowledge");
    }

    @Test
    void undeliveredDataOfFailedSessionIsReported(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = run("--kcp.server.linger=100ms");
        Application application = context.getBean(Application.class);
        KcpServerChannel channel = server(context).channel();
        try (EchoClient client = new EchoClient(server(context).localAddress().getPort())) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
        Thread closing = close(context);
        assertThat(application.draining.await(30, TimeUnit.SECONDS)).isTrue();
        channel.forEachSession(session -> {
            session.channel().writeAndFlush(Unpooled.copiedBuffer("nobody is there", StandardCharsets.UTF_8));
            session.channel().closeBecause(new IllegalStateException("a bug of the application"));
        }).get(30, TimeUnit.SECONDS);
        application.finished.complete(null);
        closing.join(20_000);
        assertThat(closing.isAlive()).isFalse();
        assertThat(output).contains("has no more sessions; sessions whose peers did not acknowledge all data: 1");
    }

    @Test
    void worksWithLazyBeans() throws Exception {
        ConfigurableApplicationContext context = run("--spring.main.lazy-initialization=true");
        Application application = context.getBean(Application.class);
        application.finished.complete(null);
        try (EchoClient client = new EchoClient(server(context).localAddress().getPort())) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
        context.close();
        assertThat(application.events).endsWith("readiness REFUSING_TRAFFIC", "drain of server, REFUSING_TRAFFIC");
    }

    @Test
    void immediateShutdownNotifiesNoListener() {
        ConfigurableApplicationContext context = run("--kcp.server.shutdown=immediate");
        Application application = context.getBean(Application.class);
        context.close();
        assertThat(application.events).containsExactly("readiness ACCEPTING_TRAFFIC", "readiness REFUSING_TRAFFIC");
    }

    @Test
    void readinessIsNotPublishedTwice() {
        ConfigurableApplicationContext context = run("--kcp.server.shutdown=immediate");
        Application application = context.getBean(Application.class);
        AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        context.close();
        assertThat(application.events).containsExactly("readiness ACCEPTING_TRAFFIC", "readiness REFUSING_TRAFFIC");
    }
}
