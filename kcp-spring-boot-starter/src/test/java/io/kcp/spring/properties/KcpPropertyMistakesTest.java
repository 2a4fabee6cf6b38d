package io.kcp.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Values that make no sense: the context fails, and the message names the property, the value and what to do. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class KcpPropertyMistakesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class))
        .withBean(EchoInitializer.class, EchoInitializer::new).withPropertyValues("kcp.server.port=0");

    /**
     * A mistake.
     *
     * @param properties what is set under {@code kcp.server}
     * @param blamed     the property that the message names first
     * @param parts      what else must be in the message
     */
    record Mistake(List<String> properties, String blamed, List<String> parts) {

        static Mistake of(String property, String... parts) {
            return new Mistake(List.of(property), property.substring(0, property.indexOf('=')), List.of(parts));
        }
    }

    static Stream<Mistake> mistakes() {
        String ciphers = "Use one of " + CryptoConfig.names();
        return Stream.of(
            Mistake.of("port=65536", "65536 is out of range", "Use 1 to 65535, or 0 for any that is free"),
            Mistake.of("port=-1", "-1 is out of range"),
            Mistake.of("mtu=20B", "mtuBytes: 20 (expected: 25 to 1500)"),
            Mistake.of("mtu=9000", "mtuBytes: 9000"),
            Mistake.of("mtu=3GB", "out of range", "less than 2GB, such as 1400B"),
            Mistake.of("send-window=0", "sendWindow: 0 (expected: 1 to 65535)"),
            Mistake.of("receive-window=70000", "receiveWindow: 70000"),
            Mistake.of("max-message-size=0B", "maxMessageBytes: 0"),
            Mistake.of("max-message-size=1MB", "1048576B is more than 255 segments of the largest MTU carry",
                "Use at most 376380B", "set kcp.server.mode to stream"),
            Mistake.of("max-rate=-1B", "-1B is out of range"),
            Mistake.of("idle-timeout=-1s", "out of range", "such as 30s"),
            Mistake.of("idle-timeout=30", "PT0.03S is less than a second", "or 0 to switch it off", "write 30s for as many seconds"),
            Mistake.of("keepalive=30d", "out of range"),
            Mistake.of("keepalive=500ms", "PT0.5S is less than a second. Use 1s or more, or 0 to switch it off"),
            Mistake.of("keepalive=60s", "PT1M is not shorter than kcp.server.idle-timeout, PT1M", "0 for never"),
            new Mistake(List.of("idle-timeout=20s"), "keepalive", List.of("PT25S is not shorter than kcp.server.idle-timeout, PT20S")),
            Mistake.of("linger=-5ms", "out of range"),
            Mistake.of("dead-peer-timeout=-1s", "out of range"),
            Mistake.of("dead-peer-timeout=1", "PT0.001S is less than a second", "write 1s"),
            Mistake.of("dead-peer-timeout=1us", "PT0.000001S is less than a second", "write 1s"),
            Mistake.of("tuning.interval=0", "intervalMs: 0"),
            Mistake.of("tuning.fast-resend=-1", "fastResend: -1"),
            Mistake.of("tuning.fast-resend-limit=-1", "fastResendLimit: -1"),
            Mistake.of("tuning.min-rto=-1ms", "out of range"),
            Mistake.of("tuning.max-transmissions=-1", "maxTransmissions: -1"),
            Mistake.of("tuning.zero-window-timeout=-1ms", "out of range"),
            Mistake.of("threads=-2", "-2 is out of range", "0 for one for each processor"),
            Mistake.of("sockets=0", "sockets: 0 (expected: at least 1)"),
            Mistake.of("socket-buffer=0B", "socketBufferBytes: 0 (expected: at least 1)"),
            Mistake.of("dscp=64", "64 is out of range", "0 to 63"),
            Mistake.of("transport=kqueue", "KQUEUE is not available here", "Use auto"),
            Mistake.of("limits.sessions=0", "maxSessions: 0"),
            Mistake.of("limits.sessions-per-address=-1", "maxSessionsPerAddress: -1"),
            Mistake.of("limits.unvalidated-sessions=0", "maxUnvalidatedSessions: 0"),
            Mistake.of("limits.trusted-prefixes=10.0.0.0/8,balancer", "\"balancer\"", "expected: an IP prefix such as 10.0.0.0/8"),
            new Mistake(List.of("fec.data-shards=10"), "fec.parity-shards", List.of("it is not set, and kcp.server.fec.data-shards is",
                "Set both, such as 10 and 3, or neither")),
            new Mistake(List.of("fec.parity-shards=3"), "fec.data-shards", List.of("it is not set, and kcp.server.fec.parity-shards is",
                "Set both, such as 10 and 3, or neither")),
            new Mistake(List.of("fec.data-shards=-1", "fec.parity-shards=3"), "fec", List.of("dataShards: -1 (expected: at least 1)",
                "Set kcp.server.fec.data-shards and kcp.server.fec.parity-shards to 1 or more")),
            new Mistake(List.of("fec.data-shards=250", "fec.parity-shards=10"), "fec", List.of("260", "at most 255")),
            Mistake.of("fec.min-parity-shards=1", "there is no parity", "Set kcp.server.fec.data-shards and kcp.server.fec.parity-shards"),
            new Mistake(List.of("fec.data-shards=10", "fec.parity-shards=3", "fec.min-parity-shards=4"), "fec.min-parity-shards",
                List.of("minParity: 4 (expected: 1 to 3)")),
            new Mistake(List.of("mtu=52B", "crypt.type=aes-128", "crypt.key=k", "fec.data-shards=3", "fec.parity-shards=1"), "mtu",
                List.of("52 bytes leave no room", "Use at least 53B")),
            new Mistake(List.of("crypt.type=aes128", "crypt.key=k"), "crypt.type", List.of("\"aes128\" is no cipher", ciphers)),
            new Mistake(List.of("crypt.type=aes-128"), "crypt.key",
                List.of("the cipher aes-128 needs one", "\"hex:\"", "kcp.server.crypt.key-file")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key="), "crypt.key", List.of("it is empty, and the cipher aes-128 needs one")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key=${NO_SUCH_KCP_KEY:}"), "crypt.key", List.of("it is empty")),
            new Mistake(List.of("crypt.key="), "crypt.key", List.of("it is empty, so datagrams would not be encrypted")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key=${NO_SUCH_KCP_KEY}"), "crypt.key", List.of(
                "the placeholder ${NO_SUCH_KCP_KEY} in it was not resolved", "Set the environment variable or property NO_SUCH_KCP_KEY")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key=prefix-${NO_SUCH_KCP_KEY}"), "crypt.key",
                List.of("a placeholder in it was not resolved", "a password cannot contain \"${\"")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key-file=classpath:unresolved.key"), "crypt.key-file",
                List.of("a placeholder in it was not resolved")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key-file=classpath:empty.key"), "crypt.key-file", List.of("it is empty")),
            new Mistake(List.of("crypt.key=secret"), "crypt.type", List.of("not set, and there is a key")),
            new Mistake(List.of("crypt.type=", "crypt.key=secret"), "crypt.type", List.of("not set, and there is a key")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key=hex:xyz"), "crypt.key", List.of("not hexadecimal", "two digits")),
            new Mistake(List.of("crypt.type=aes-128", "crypt.key=hex:00112233"), "crypt.key", List.of("4 bytes for aes-128", "16")),
            new Mistake(List.of("crypt.type=aes", "crypt.key=a", "crypt.key-file=classpath:kcp.key"), "crypt.key",
                List.of("kcp.server.crypt.key-file is too", "Set one of them")),
            new Mistake(List.of("crypt.type=aes", "crypt.key-file=file:/no/such/kcp.key"), "crypt.key-file",
                List.of("/no/such/kcp.key", "cannot be read")));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void messageNamesPropertyValueAndFix(Mistake mistake) {
        List<String> properties = new ArrayList<>();
        mistake.properties.forEach(property -> properties.add("kcp.server." + property));
        runner.withPropertyValues(properties.toArray(String[]::new)).run(context -> {
            assertThat(context).hasFailed();
            KcpPropertyException failure = propertyFailure(context.getStartupFailure());
            assertThat(failure.property()).isEqualTo("kcp.server." + mistake.blamed);
            assertThat(failure).hasMessageStartingWith("kcp.server." + mistake.blamed + ": ").hasMessageEndingWith(".")
                .hasMessageContainingAll(mistake.parts.toArray(String[]::new));
            assertThat(failure.remedy()).isNotBlank();
        });
    }

    private static KcpPropertyException propertyFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KcpPropertyException property) {
                return property;
            }
        }
        throw new AssertionError("no KcpPropertyException", failure);
    }

    @ParameterizedTest
    @CsvSource({"aes-128, hush-hu, true", "aes-128, hush-hush, false", "xor, hex:01, false", "none, '', false"})
    void shortPasswordsAreWarnedAboutWithoutShowingThem(String type, String key, boolean warned, CapturedOutput output) {
        runner.withPropertyValues("kcp.server.crypt.type=" + type, "kcp.server.crypt.key=" + key).run(context -> {
            assertThat(context).hasNotFailed();
            String warning = "kcp.server.crypt.key has fewer than 8 characters";
            if (warned) {
                assertThat(output).containsOnlyOnce(warning).contains("can be guessed");
            } else {
                assertThat(output).doesNotContain(warning);
            }
            assertThat(output).doesNotContain("hush");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"hex:c0ffee42", "hex:c0ffee4x", "c0ffee ${c0ffee!}"})
    void messagesHaveNoPartOfAKey(String key) {
        runner.withPropertyValues("kcp.server.crypt.type=aes-128", "kcp.server.crypt.key=" + key).run(context -> {
            assertThat(context).hasFailed();
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("kcp.server.crypt.key").doesNotContain("c0ffee");
        });
    }

    @Test
    void remediesPromiseNoDefaultWhereThereIsNone() {
        List<String> withoutDefault = List.of("fec.data-shards=10", "fec.parity-shards=3", "crypt.type=aes-128,crypt.key=hex:abcd");
        for (String properties : withoutDefault) {
            runner.withPropertyValues(Stream.of(properties.split(",")).map(property -> "kcp.server." + property).toArray(String[]::new))
                .run(context -> assertThat(propertyFailure(context.getStartupFailure()).remedy()).doesNotContain("default"));
        }
    }

    @Test
    void theLongestMessageThatCanBeIsAccepted() {
        runner.withPropertyValues("kcp.server.max-message-size=376380B").run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aWordThatIsNoneOfAnEnumFailsWithTheWordsThatAre() {
        runner.withPropertyValues("kcp.server.profile=fastest").run(context -> assertThat(context.getStartupFailure())
            .hasStackTraceContaining("kcp.server.profile").hasStackTraceContaining("No enum constant"));
    }
}
