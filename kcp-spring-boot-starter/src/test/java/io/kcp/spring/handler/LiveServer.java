package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Runs an application with controllers and a client, and checks that all buffers are released. */
class LiveServer {

    /** A test of a running application. */
    @FunctionalInterface
    interface Trial {

        void run(AssertableApplicationContext context, TestClient client) throws Exception;
    }

    private ApplicationContextRunner runner;

    LiveServer(Class<?>... beans) {
        runner = configured(runner(beans)).withPropertyValues("kcp.server.fec.data-shards=2", "kcp.server.fec.parity-shards=1");
    }

    /** Adds the auto-configuration of the application. */
    ApplicationContextRunner configured(ApplicationContextRunner plain) {
        return plain.withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class, KcpControllerAutoConfiguration.class));
    }

    /** Returns an application that is not started, with a server on a random port. */
    static ApplicationContextRunner runner(Class<?>... beans) {
        return new ApplicationContextRunner().withPropertyValues("kcp.server.port=0", "kcp.server.address=127.0.0.1",
                "kcp.server.transport=nio", "kcp.server.threads=1", "kcp.server.linger=500ms")
            .withUserConfiguration(beans);
    }

    LiveServer with(String... properties) {
        runner = runner.withPropertyValues(properties);
        return this;
    }

    LiveServer with(UnaryOperator<ApplicationContextRunner> change) {
        runner = change.apply(runner);
        return this;
    }

    void run(Trial trial) {
        CountedBuffers buffers = new CountedBuffers();
        runner.withBean(CountedBuffers.class, () -> buffers).run(context -> {
            assertThat(context).hasNotFailed();
            try (TestClient client = new TestClient(port(context))) {
                trial.run(context, client);
            }
        });
        await().atMost(Duration.ofSeconds(TestClient.PATIENCE_S)).until(() -> buffers.outstandingBytes() == 0);
    }

    static int port(AssertableApplicationContext context) {
        return server(context).localAddress().getPort();
    }

    static KcpServer server(AssertableApplicationContext context) {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find("server"));
    }
}
