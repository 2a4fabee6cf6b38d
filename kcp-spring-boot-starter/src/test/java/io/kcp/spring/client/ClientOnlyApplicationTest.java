package io.kcp.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpServerChannel;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.kcp.test.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Lifetime of an application that only has client sessions, in a child process. */
@Timeout(120)
@Tag("jdk")
class ClientOnlyApplicationTest {

    private static final int PATIENCE_S = 50;
    private static final int SIGTERM_EXIT = 128 + 15;

    private static ChildProcess client(int port, boolean keepAlive) throws IOException {
        return ChildProcess.java(ClientOnlyApplication.class, "--peer.port=" + port, "--spring.main.web-application-type=none",
            "--spring.main.banner-mode=off", "--spring.main.keep-alive=" + keepAlive, "--kcp.client.linger=100ms");
    }

    private static long messages(KcpServerChannel server) throws Exception {
        return server.collectStats().get(PATIENCE_S, TimeUnit.SECONDS).sessions().bytesReceived();
    }

    @Test
    void clientSessionsDoNotKeepApplicationAlive() throws Exception {
        try (ChildProcess application = client(9, false)) {
            assertThat(application.exitCode(PATIENCE_S)).isZero();
            assertThat(application.lines()).contains("started");
        }
    }

    @Test
    @Tag("slow")
    void keepAlivePropertyOfBootKeepsApplicationAlive() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class))
            .withBean(EchoInitializer.class, EchoInitializer::new).withPropertyValues("kcp.server.port=0",
                "kcp.server.address=127.0.0.1", "kcp.server.shutdown=immediate").run(context -> {
                    KcpServerChannel server = Objects.requireNonNull(context.getBean(KcpServers.class).find("server")).channel();
                    int port = Objects.requireNonNull(server.localAddress()).getPort();
                    try (ChildProcess application = client(port, true)) {
                        application.await("started", PATIENCE_S);
                        // Still running after the application without keep-alive would have exited.
                        long heard = messages(server) + 50;
                        await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> messages(server) >= heard);
                        application.terminate();
                        assertThat(application.exitCode(PATIENCE_S)).isEqualTo(SIGTERM_EXIT);
                    }
                });
    }
}
