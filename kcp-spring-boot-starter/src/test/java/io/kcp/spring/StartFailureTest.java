package io.kcp.spring;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.handler.KcpController;
import io.kcp.spring.handler.OnMessage;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the failure reports and log lines of applications that fail to start or that start no server. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@Tag("jdk")
class StartFailureTest {

    private static final String NO_SERVER = "No KCP server starts because kcp.server.port is not set";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ChannelInitializer<KcpChannel> echo() {
            return new EchoInitializer();
        }
    }

    /** A bean that starts after the servers fails. */
    @Configuration(proxyBeanMethods = false)
    static class FailingLater extends Application {

        @Bean
        SmartLifecycle database() {
            return new SmartLifecycle() {
                @Override
                public void start() {
                    throw new IllegalStateException("no database");
                }

                @Override
                public void stop() {
                }

                @Override
                public boolean isRunning() {
                    return false;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutHandler {
    }

    private static ConfigurableApplicationContext run(Class<?> application, String... arguments) {
        SpringApplication boot = new SpringApplication(application);
        boot.setRegisterShutdownHook(false);
        return boot.run(arguments);
    }

    private static void assertReported(CapturedOutput output, String description, String action) {
        assertThat(output).contains("APPLICATION FAILED TO START").doesNotContain("\tat ");
        assertThat(output.toString().substring(output.toString().indexOf("Description:"))).contains(description)
            .containsSubsequence("Action:", action);
    }

    @ParameterizedTest
    @CsvSource({"auto, 4", "auto, 1", "nio, 2"})
    @Tag("slow")
    void portOfAnotherServerIsReported(String transport, int threads, CapturedOutput output) {
        String[] settings = {"--kcp.server.transport=" + transport, "--kcp.server.threads=" + threads};
        try (ConfigurableApplicationContext first = run(Application.class, settings[0], settings[1], "--kcp.server.port=0")) {
            String port = first.getEnvironment().getRequiredProperty("local.kcp.server.port");
            assertThatThrownBy(() -> run(Application.class, settings[0], settings[1], "--kcp.server.port=" + port))
                .hasRootCauseInstanceOf(IOException.class).hasStackTraceContaining("KcpBindException");
            assertReported(output, "A KCP server cannot bind UDP port " + port + " on any address (kcp.server.port): the port is in "
                + "use by another process or by another server of this application.", "set kcp.server.port to another port");
        }
    }

    @Test
    void portOfAnotherProcessIsReported(CapturedOutput output) throws Exception {
        try (DatagramSocket other = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> run(Application.class, "--kcp.servers.game.port=" + other.getLocalPort(),
                "--kcp.servers.game.address=127.0.0.1")).hasStackTraceContaining("KcpBindException");
            assertReported(output, "UDP port " + other.getLocalPort() + " on 127.0.0.1 (kcp.servers.game.port)",
                "ss -ulpn 'sport = :" + other.getLocalPort() + "'");
        }
    }

    @Test
    void addressOfAnotherMachineIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> run(Application.class, "--kcp.server.port=0", "--kcp.server.address=192.0.2.1"))
            .hasStackTraceContaining("KcpBindException");
        assertReported(output, "UDP port 0 on 192.0.2.1 (kcp.server.port): ", "Set kcp.server.address to an address of this machine");
    }

    @Test
    void invalidPropertyIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> run(Application.class, "--kcp.server.port=0", "--kcp.server.mtu=9000"))
            .hasStackTraceContaining("KcpPropertyException");
        assertReported(output, "The property kcp.server.mtu is invalid: mtuBytes: 9000 (expected: 25 to 1500).", "Change the value");
    }

    @Test
    void unknownProfileIsReportedWithValidValues(CapturedOutput output) {
        assertThatThrownBy(() -> run(Application.class, "--kcp.server.port=0", "--kcp.server.profile=fastest"));
        assertReported(output, "Property: kcp.server.profile", "Update your application's configuration");
        assertThat(output).contains("FAST3");
    }

    @Test
    void serverWithoutHandlerIsReported(CapturedOutput output) {
        assertThatThrownBy(() -> run(WithoutHandler.class, "--kcp.server.port=0")).hasStackTraceContaining("KcpSessionHandlerException");
        assertReported(output, "No bean handles the sessions of the KCP server \"server\".",
            "Define a bean of type ChannelInitializer<KcpChannel>");
    }

    @Test
    void startLogsSettingsForKcpGoWithoutKey(CapturedOutput output) {
        run(Application.class, "--kcp.server.port=0", "--kcp.server.address=127.0.0.1", "--kcp.server.crypt.type=aes-128",
            "--kcp.server.crypt.key=hush-hush", "--kcp.server.fec.data-shards=10", "--kcp.server.fec.parity-shards=3",
            "--kcp.server.mode=stream", "--kcp.server.send-window=300", "--kcp.server.receive-window=500").close();
        assertThat(output).contains("KCP server \"server\" listens on UDP 127.0.0.1:").doesNotContain("hush-hush")
            .contains("kcp-go: DialWithOptions(addr, aes-128, 10, 3), SetNoDelay(1, 10, 2, 1), SetWindowSize(500, 300), SetMtu(1400), "
                + "SetStreamMode(true), SetACKNoDelay(true)");
    }

    @Test
    void initializerWithoutPortIsLogged(CapturedOutput output) {
        run(Application.class).close();
        assertThat(output).contains(NO_SERVER);
    }

    @KcpController
    static class Controller {

        @OnMessage
        String echo(String text) {
            return text;
        }
    }

    @Test
    void controllerWithoutPortIsLogged(CapturedOutput output) {
        SpringApplication boot = new SpringApplication(WithoutHandler.class, Controller.class);
        boot.setRegisterShutdownHook(false);
        boot.run().close();
        assertThat(output).contains(NO_SERVER);
    }

    @Test
    void serverPropertiesWithoutPortAreLogged(CapturedOutput output) {
        run(WithoutHandler.class, "--kcp.server.prot=9000").close();
        assertThat(output).contains(NO_SERVER);
    }

    @Test
    void missingServerIsLoggedOnceWithoutAnyKcpBean(CapturedOutput output) {
        run(WithoutHandler.class).close();
        assertThat(output.toString().lines().filter(line -> !line.contains("StartFailureTest")).filter(line -> line.contains("KCP")))
            .singleElement(as(STRING)).contains("INFO", NO_SERVER);
    }

    @Test
    void clientApplicationLogsNothingAboutServers(CapturedOutput output) {
        run(WithoutHandler.class, "--kcp.client.linger=1s").close();
        assertThat(output).doesNotContain(NO_SERVER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--kcp.server.port=0", "--kcp.client.linger=1s"})
    void outdatedNettyIsReported(String property, CapturedOutput output) {
        SpringApplication boot = new SpringApplication(Application.class);
        boot.setRegisterShutdownHook(false);
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        // Netty 4.1 does not have this class.
        Thread.currentThread().setContextClassLoader(new FilteredClassLoader("io.netty.channel.IoHandlerFactory"));
        try {
            assertThatThrownBy(() -> boot.run(property)).hasStackTraceContaining("KcpNettyVersionException");
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
        assertReported(output, "KCP requires Netty 4.2, but the class path contains netty-transport 4.",
            "Set netty.version to a 4.2 version");
    }

    @Test
    void laterStartFailureLeavesNoServer() throws Exception {
        int port;
        try (DatagramSocket free = new DatagramSocket(0)) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() -> run(FailingLater.class, "--kcp.server.port=" + port)).hasRootCauseMessage("no database");
        try (DatagramSocket again = new DatagramSocket(port)) {
            assertThat(again.getLocalPort()).isEqualTo(port);
        }
    }
}
