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
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that an application with an invalid property does not start, and reports the property, the value and the remedy. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class InvalidPropertiesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, KcpServerAutoConfiguration.class))
        .withBean(EchoInitializer.class, EchoInitializer::new).withPropertyValues("kcp.server.port=0");

    /**
     * Invalid properties and the expected failure.
     *
     * @param properties properties under {@code kcp.server}
     * @param blamed     property that the message starts with
     * @param parts      texts that the message contains
     */
    record Invalid(List<String> properties, String blamed, List<String> parts) {

        static Invalid of(String property, String... parts) {
            return new Invalid(List.of(property), property.substring(0, property.indexOf('=')), List.of(parts));
        }
    }

    static Stream<Invalid> invalidProperties() {
        String ciphers = "Use one of " + CryptoConfig.names();
        return Stream.of(
            Invalid.of("port=65536", "65536 is out of range", "Use 1 to 65535, or 0 for any free port"),
            Invalid.of("port=-1", "-1 is out of range"),
            Invalid.of("mtu=20B", "mtuBytes: 20 (expected: 25 to 1500)"),
            Invalid.of("mtu=9000", "mtuBytes: 9000"),
            Invalid.of("mtu=3GB", "out of range", "less than 2GB, such as 1400B"),
            Invalid.of("send-window=0", "sendWindow: 0 (expected: 1 to 65535)"),
            Invalid.of("receive-window=70000", "receiveWindow: 70000"),
            Invalid.of("max-message-size=0B", "maxMessageBytes: 0"),
            Invalid.of("max-message-size=1MB", "1048576B exceeds the limit of 255 segments of the largest MTU",
                "Use at most 376380B", "set kcp.server.mode to stream"),
            Invalid.of("max-rate=-1B", "-1B is out of range"),
            Invalid.of("idle-timeout=-1s", "out of range", "such as 30s"),
            Invalid.of("idle-timeout=30", "PT0.03S is less than a second", "or 0 to disable it", "write 30s for seconds"),
            Invalid.of("keepalive=30d", "out of range"),
            Invalid.of("keepalive=500ms", "PT0.5S is less than a second. Use 1s or more, or 0 to disable it"),
            Invalid.of("keepalive=60s", "PT1M is not shorter than kcp.server.idle-timeout, PT1M", "0 for never"),
            new Invalid(List.of("idle-timeout=20s"), "keepalive", List.of("PT25S is not shorter than kcp.server.idle-timeout, PT20S")),
            Invalid.of("linger=-5ms", "out of range"),
            Invalid.of("dead-peer-timeout=-1s", "out of range"),
            Invalid.of("dead-peer-timeout=1", "PT0.001S is less than a second", "write 1s for seconds"),
            Invalid.of("dead-peer-timeout=1us", "PT0.000001S is less than a second", "write 1s for seconds"),
            Invalid.of("tuning.interval=0", "intervalMs: 0"),
            Invalid.of("tuning.fast-resend=-1", "fastResend: -1"),
            Invalid.of("tuning.fast-resend-limit=-1", "fastResendLimit: -1"),
            Invalid.of("tuning.min-rto=-1ms", "out of range"),
            Invalid.of("tuning.max-transmissions=-1", "maxTransmissions: -1"),
            Invalid.of("tuning.zero-window-timeout=-1ms", "out of range"),
            Invalid.of("tuning.max-refused-segments=-1", "maxRefusedSegments: -1"),
            Invalid.of("tuning.max-messages-per-iteration=-1", "-1 is negative"),
            Invalid.of("tuning.max-bytes-per-iteration=-1B", "-1B is out of range"),
            Invalid.of("roaming=true", "the cipher is not set", "Set kcp.server.crypt.type to aes-128-gcm or another AEAD cipher"),
            new Invalid(List.of("roaming=true", "crypt.type=aes", "crypt.key=k"), "roaming", List.of("the cipher is aes,")),
            Invalid.of("ssl.bundle=game", "there is no SSL bundle \"game\"", "configure spring.ssl.bundle.pem.game"),
            Invalid.of("ssl.client-auth=need", "sessions do not use TLS", "Set kcp.server.ssl.bundle"),
            Invalid.of("ssl.handshake-timeout=10", "PT0.01S is less than a second", "write 10s for seconds"),
            Invalid.of("smux=2", "it requires a byte stream, but sessions carry messages", "Set kcp.server.mode to stream"),
            new Invalid(List.of("smux=3", "mode=stream"), "smux", List.of("3 is not a version of smux", "Use 1 or 2")),
            Invalid.of("packets.enabled=true", "it requires a byte stream", "Set kcp.server.mode to stream"),
            new Invalid(List.of("packets.enabled=true", "packets.max-size=33MB", "mode=stream"), "packets.max-size",
                List.of("maxPayloadBytes: 34603008, must be between 0 and 33554432")),
            Invalid.of("threads=-2", "-2 is negative", "0 for one event loop per processor"),
            Invalid.of("sockets=0", "sockets: 0 (expected: at least 1)"),
            Invalid.of("socket-buffer=0B", "socketBufferBytes: 0 (expected: at least 1)"),
            Invalid.of("dscp=64", "64 is out of range", "0 to 63"),
            Invalid.of("transport=kqueue", "KQUEUE is not available on this machine", "Use auto"),
            Invalid.of("limits.sessions=0", "maxSessions: 0"),
            Invalid.of("limits.sessions-per-address=-1", "maxSessionsPerAddress: -1"),
            Invalid.of("limits.unvalidated-sessions=0", "maxUnvalidatedSessions: 0"),
            Invalid.of("limits.unknown-datagrams=-1", "unknownDatagramsPerSecond: -1"),
            Invalid.of("limits.unknown-decryption-percent=0", "unknownDecryptionPercent: 0 (expected: 1 to 100)"),
            Invalid.of("limits.openings-under-load=-1", "openingsPerSecondUnderLoad: -1"),
            Invalid.of("limits.trusted-prefixes=10.0.0.0/8,balancer", "\"balancer\"", "expected: an IP prefix such as 10.0.0.0/8"),
            new Invalid(List.of("fec.data-shards=10"), "fec.parity-shards", List.of("it is 0, but kcp.server.fec.data-shards is set",
                "Set both, for example to 10 and 3, or neither")),
            new Invalid(List.of("fec.parity-shards=3"), "fec.data-shards", List.of("it is 0, but kcp.server.fec.parity-shards is set",
                "Set both, for example to 10 and 3, or neither")),
            new Invalid(List.of("fec.data-shards=-1", "fec.parity-shards=3"), "fec", List.of("dataShards: -1 (expected: at least 1)",
                "Set kcp.server.fec.data-shards and kcp.server.fec.parity-shards to 1 or more")),
            new Invalid(List.of("fec.data-shards=250", "fec.parity-shards=10"), "fec", List.of("260", "at most 255")),
            Invalid.of("fec.min-parity-shards=1", "FEC is not configured",
                "Also set kcp.server.fec.data-shards and kcp.server.fec.parity-shards"),
            new Invalid(List.of("fec.data-shards=10", "fec.parity-shards=3", "fec.min-parity-shards=4"), "fec.min-parity-shards",
                List.of("minParity: 4 (expected: 1 to 3)")),
            new Invalid(List.of("mtu=52B", "crypt.type=aes-128", "crypt.key=k", "fec.data-shards=3", "fec.parity-shards=1"), "mtu",
                List.of("52 bytes leave no room", "Use at least 53B")),
            new Invalid(List.of("crypt.type=aes128", "crypt.key=k"), "crypt.type", List.of("\"aes128\" is not a known cipher", ciphers)),
            new Invalid(List.of("crypt.type=aes-128"), "crypt.key",
                List.of("the cipher aes-128 requires one", "\"hex:\"", "kcp.server.crypt.key-file")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key="), "crypt.key",
                List.of("the key is empty, but the cipher aes-128 requires one")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key=${NO_SUCH_KCP_KEY:}"), "crypt.key", List.of("the key is empty")),
            new Invalid(List.of("crypt.key="), "crypt.key", List.of("the key is empty, so datagrams would not be encrypted")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key=${NO_SUCH_KCP_KEY}"), "crypt.key", List.of(
                "the placeholder ${NO_SUCH_KCP_KEY} was not resolved", "Set the environment variable or property NO_SUCH_KCP_KEY")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key=prefix-${NO_SUCH_KCP_KEY}"), "crypt.key",
                List.of("a placeholder in the key was not resolved", "a password cannot contain \"${\"")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key-file=classpath:unresolved.key"), "crypt.key-file",
                List.of("a placeholder in the key was not resolved")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key-file=classpath:empty.key"), "crypt.key-file", List.of("is empty")),
            new Invalid(List.of("crypt.key=secret"), "crypt.type", List.of("no cipher is set, but a key is")),
            new Invalid(List.of("crypt.type=", "crypt.key=secret"), "crypt.type", List.of("no cipher is set, but a key is")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key=hex:xyz"), "crypt.key", List.of("not hexadecimal", "two digits")),
            new Invalid(List.of("crypt.type=aes-128", "crypt.key=hex:00112233"), "crypt.key", List.of("4 bytes for aes-128", "16")),
            new Invalid(List.of("crypt.type=aes", "crypt.key=a", "crypt.key-file=classpath:kcp.key"), "crypt.key",
                List.of("both this property and kcp.server.crypt.key-file are set", "Set only one")),
            new Invalid(List.of("crypt.type=aes", "crypt.key-file=file:/no/such/kcp.key"), "crypt.key-file",
                List.of("/no/such/kcp.key", "cannot be read")));
    }

    @ParameterizedTest
    @MethodSource("invalidProperties")
    void messageNamesPropertyValueAndRemedy(Invalid invalid) {
        List<String> properties = new ArrayList<>();
        invalid.properties.forEach(property -> properties.add("kcp.server." + property));
        runner.withPropertyValues(properties.toArray(String[]::new)).run(context -> {
            assertThat(context).hasFailed();
            KcpPropertyException failure = propertyFailure(context.getStartupFailure());
            assertThat(failure.property()).isEqualTo("kcp.server." + invalid.blamed);
            assertThat(failure).hasMessageStartingWith("kcp.server." + invalid.blamed + ": ").hasMessageEndingWith(".")
                .hasMessageContainingAll(invalid.parts.toArray(String[]::new));
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
    void shortPasswordIsWarnedAboutButNotLogged(String type, String key, boolean warned, CapturedOutput output) {
        runner.withPropertyValues("kcp.server.crypt.type=" + type, "kcp.server.crypt.key=" + key).run(context -> {
            assertThat(context).hasNotFailed();
            String warning = "kcp.server.crypt.key has fewer than 8 characters";
            if (warned) {
                assertThat(output).containsOnlyOnce(warning).contains("by brute force");
            } else {
                assertThat(output).doesNotContain(warning);
            }
            assertThat(output).doesNotContain("hush");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"hex:c0ffee42", "hex:c0ffee4x", "c0ffee ${c0ffee!}"})
    void messagesContainNoPartOfKey(String key) {
        runner.withPropertyValues("kcp.server.crypt.type=aes-128", "kcp.server.crypt.key=" + key).run(context -> {
            assertThat(context).hasFailed();
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("kcp.server.crypt.key").doesNotContain("c0ffee");
        });
    }

    @Test
    void remedyMentionsDefaultOnlyIfThereIsOne() {
        List<String> withoutDefault = List.of("fec.data-shards=10", "fec.parity-shards=3", "crypt.type=aes-128,crypt.key=hex:abcd");
        for (String properties : withoutDefault) {
            runner.withPropertyValues(Stream.of(properties.split(",")).map(property -> "kcp.server." + property).toArray(String[]::new))
                .run(context -> assertThat(propertyFailure(context.getStartupFailure()).remedy()).doesNotContain("default"));
        }
    }

    @Test
    void largestPossibleMessageSizeIsAccepted() {
        runner.withPropertyValues("kcp.server.max-message-size=376380B").run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void unknownEnumValueFailsWithValidValues() {
        runner.withPropertyValues("kcp.server.profile=fastest").run(context -> assertThat(context.getStartupFailure())
            .hasStackTraceContaining("kcp.server.profile").hasStackTraceContaining("No enum constant"));
    }
}
