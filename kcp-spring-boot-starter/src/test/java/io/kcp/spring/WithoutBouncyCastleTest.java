package io.kcp.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.crypto.CryptoConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The starter's own class path has no BouncyCastle, which is an optional dependency that only the cipher cast5 needs. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@Tag("jdk")
class WithoutBouncyCastleTest {

    private static final String KEY = "correct horse battery";

    private static ConfigurableApplicationContext run(String cipher) {
        SpringApplication boot = new SpringApplication(StartFailureTest.Application.class);
        boot.setRegisterShutdownHook(false);
        return boot.run("--kcp.server.port=0", "--kcp.server.address=127.0.0.1", "--kcp.server.crypt.type=" + cipher,
            "--kcp.server.crypt.key=" + KEY);
    }

    @Test
    void classPathLacksBouncyCastle() {
        assertThatThrownBy(() -> Class.forName("org.bouncycastle.crypto.engines.CAST5Engine"))
            .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void serverStartsAndEchoesEncryptedMessages() throws Exception {
        try (ConfigurableApplicationContext context = run("aes-128-gcm");
            EchoClient client = new EchoClient(context.getEnvironment().getRequiredProperty("local.kcp.server.port", Integer.class),
                bootstrap -> bootstrap.crypto(CryptoConfig.kcptun("aes-128-gcm", KEY)))) {
            assertThat(client.ask("hello")).isEqualTo("hello");
        }
    }

    @Test
    void cast5FailsStartAndNamesArtifact(CapturedOutput output) {
        assertThatThrownBy(() -> run("cast5")).hasStackTraceContaining("KcpPropertyException");
        assertThat(output).contains("APPLICATION FAILED TO START").doesNotContain("\tat ");
        assertThat(output.toString().substring(output.toString().indexOf("Description:")))
            .containsSubsequence("kcp.server.crypt.type", "org.bouncycastle:bcprov-jdk18on:1.", "Action:",
                "Add the library, or use a different cipher");
    }
}
