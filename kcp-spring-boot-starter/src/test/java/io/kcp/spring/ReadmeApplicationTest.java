package io.kcp.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.echo.EchoApplication;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The application of the README, with a random port, a key file of this test and FEC. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
@Tag("jdk")
class ReadmeApplicationTest {

    private static final Path SOURCE = Path.of("src", "test", "java", "com", "example", "echo", "EchoApplication.java");
    private static final Path PROPERTIES = Path.of("src", "test", "resources", "com", "example", "echo", "application.properties");
    private static final String KEY = "00112233445566778899aabbccddeeff";

    @TempDir
    private static Path folder;

    private ConfigurableApplicationContext application;
    private int port;

    @BeforeEach
    void start() throws IOException {
        Path keyFile = Files.writeString(folder.resolve("kcp.key"), "hex:" + KEY + "\n");
        application = SpringApplication.run(EchoApplication.class, "--kcp.server.port=0", "--kcp.server.crypt.key-file=" + keyFile.toUri(),
            "--kcp.server.fec.data-shards=10", "--kcp.server.fec.parity-shards=3",
            "--spring.config.location=classpath:com/example/echo/application.properties");
        port = application.getEnvironment().getRequiredProperty("local.kcp.server.port", Integer.class);
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void readmeContainsThisApplicationOfAtMostThirtyLines() throws Exception {
        assertThat(Files.readAllLines(SOURCE)).hasSizeLessThanOrEqualTo(30);
        assertThat(Files.readString(Path.of("..", "README.md"))).contains("```java\n" + Files.readString(SOURCE) + "```",
            "```properties\n" + Files.readString(PROPERTIES) + "```");
    }

    @Test
    void echoesAndLogsSettingsForKcpGo(CapturedOutput output) throws Exception {
        try (EchoClient client = new EchoClient(port,
            settings -> settings.crypto(CryptoConfig.of("aes-128-gcm", HexFormat.of().parseHex(KEY))).fec(FecConfig.of(10, 3)))) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
        assertThat(output).contains("kcp-go: DialWithOptions(addr, aes-128-gcm, 10, 3)").doesNotContain(KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "message"})
    @Tag("interop")
    void echoesToKcpGo(String mode) throws Exception {
        try (ChildProcess client = kcpGo("client", "--connect", "127.0.0.1:" + port, "--action", "echo", "--bytes", "3000000",
            "--mode", mode, "--crypt", "aes-128-gcm", "--hexkey", KEY, "--datashard", "10", "--parityshard", "3", "--timeout", "60")) {
            String done = client.await("{\"event\":\"done\"", 70);
            assertThat(client.exitCode(20)).isZero();
            assertThat(done).contains("\"received\":3000000");
        }
    }

    @Test
    @Tag("interop")
    void ignoresKcpGoWithDifferentKey() throws Exception {
        try (ChildProcess client = kcpGo("client", "--connect", "127.0.0.1:" + port, "--action", "echo", "--bytes", "1000",
            "--crypt", "aes-128-gcm", "--key", "another", "--datashard", "10", "--parityshard", "3", "--timeout", "3")) {
            assertThat(client.exitCode(30)).isEqualTo(3);
        }
        assertThat(application.getBean(KcpServers.class).iterator().next().channel().collectStats().syncUninterruptibly().getNow()
            .openedSessions()).isZero();
    }

    /** Starts a kcp-go peer that {@code src/interop/install.sh} has built. It exits when its standard input is closed. */
    private static ChildProcess kcpGo(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of("..", "src", "interop", "build", "kcppeer-5.6.72").toString()));
        command.addAll(List.of(arguments));
        command.add("--stdin-eof");
        return ChildProcess.start(command);
    }
}
