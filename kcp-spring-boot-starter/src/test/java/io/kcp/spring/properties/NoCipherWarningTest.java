package io.kcp.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.spring.EchoInitializer;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A server logs a warning if {@code crypt.type} is not set and other hosts can reach the server. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class NoCipherWarningTest {

    private static final String WARNING = "uses no cipher";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class))
        .withBean(EchoInitializer.class, EchoInitializer::new)
        .withPropertyValues("kcp.server.port=0", "kcp.server.threads=2", "kcp.server.shutdown=immediate");

    private void start(String... properties) {
        runner.withPropertyValues(properties).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void warnsOnceWithoutTheProperty(CapturedOutput output) {
        start();
        assertThat(output.toString()).containsOnlyOnce(WARNING).contains("crypt.type=null");
    }

    @Test
    void explicitNullCipherSilencesTheWarning(CapturedOutput output) {
        start("kcp.server.crypt.type=null");
        assertThat(output.toString()).doesNotContain(WARNING);
    }

    @Test
    void cipherSilencesTheWarning(CapturedOutput output) {
        start("kcp.server.crypt.type=aes-128-gcm", "kcp.server.crypt.key=a long password");
        assertThat(output.toString()).doesNotContain(WARNING);
    }

    @Test
    void loopbackServerDoesNotWarn(CapturedOutput output) {
        start("kcp.server.address=127.0.0.1");
        assertThat(output.toString()).doesNotContain(WARNING);
    }
}
