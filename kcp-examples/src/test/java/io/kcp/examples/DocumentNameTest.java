package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names in code font on pages exist in the sources, and the defaults in tuning.md equal those in the code. */
class DocumentNameTest {

    /** Matches identifiers that are not plain words: camel case or all capitals. The arguments of a call are ignored. */
    private static final Pattern NAME = Pattern.compile("([a-z]+[A-Z]\\w*|[A-Z]\\w*[A-Z_]\\w*|[A-Z][a-z]+[A-Z]\\w*)(?:\\(.*\\))?");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern SOURCE = Pattern.compile(".*\\.(?:java|go|py|sh|xml|json|conf|imports|yaml|yml)");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)`(?:, `(\\w+)`)? \\| ([^|(]*).*");

    private static final Pattern PRESET = Pattern.compile("(?m)^\\| `(\\w+)\\(\\)` \\| (\\w+ \\| \\d+ \\| \\d+ \\| \\d+) \\|");

    /** Matches a number, a constant of an enum, or {@code true} and {@code false}. */
    private static final Pattern JAVADOC_DEFAULT = Pattern.compile("[Tt]he default is (?:\\{@(?:code|link) (?:\\w+#)?)?(\\w+)");
    /** A setting whose getter returns another value if the default of 0 is set. */
    private static final String MINIMUM_RTO = "minRtoMs";

    /** Names that are defined outside the sources: kernels, Netty, Kubernetes, Gradle, game engines, the C original, kcp2k, java-Kcp. */
    private static final Set<String> ELSEWHERE = Set.of("UdpRcvbufErrors", "WSAStartup", "WSAECONNRESET", "MSG_DONTWAIT", "SO_REUSEPORT",
        "FSocket", "PacketPeerUDP", "EpollIoHandler", "LengthFieldBasedFrameDecoder", "SslHandler", "IdleStateHandler",
        "LoggingHandler", "autoRead", "terminationGracePeriodSeconds", "mavenLocal", "PeekSize", "setFecAdapt", "setTimeoutMillis");

    static Stream<DocumentPage> pages() {
        return Stream.concat(DocumentPage.all(), DocumentPage.changelog());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void namesExist(DocumentPage page) throws IOException {
        Set<String> known = new HashSet<>(ELSEWHERE);
        known.addAll(Words.OF_SOURCES);
        page.blocks().forEach(block -> addWords(block.text(), known));
        List<String> unknown = new ArrayList<>();
        for (String span : page.codeSpans()) {
            Matcher name = NAME.matcher(span);
            if (name.matches() && !known.contains(name.group(1))) {
                unknown.add(span);
            }
        }
        assertThat(unknown).isEmpty();
    }

    /** All words in the sources, initialized lazily and only once. */
    private static final class Words {

        static final Set<String> OF_SOURCES = ofSources();

        private static Set<String> ofSources() {
            Set<String> words = new HashSet<>();
            sourceFiles().forEach(file -> addWords(ShellCommands.read(file), words));
            return words;
        }
    }

    /** Returns the source files of all languages, without those that a build has generated. */
    static List<Path> sourceFiles() {
        try (Stream<Path> files = Files.walk(DocumentPage.ROOT)) {
            return files.filter(file -> SOURCE.matcher(file.toString()).matches() && !DocumentPage.isBelow("target", file)
                && !DocumentPage.isBelow("build", file)).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void addWords(String text, Set<String> words) {
        WORD.matcher(text).results().forEach(word -> words.add(word.group()));
    }

    @Test
    void tuningTableDefaultsMatchTheCode() throws ReflectiveOperationException {
        String page = ShellCommands.read(DocumentPage.ROOT.resolve("src/site/markdown/tuning.md"));
        KcpConfig defaults = KcpConfig.builder().build();
        int compared = 0;
        for (String line : page.substring(0, page.indexOf("## Settings by symptom")).lines().toList()) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && Stream.of(KcpConfig.class.getMethods()).anyMatch(method -> method.getName().equals(row.group(1)))) {
                Object value = KcpConfig.class.getMethod(row.group(1)).invoke(defaults);
                assertThat(row.group(3).strip().replace(",", "")).as(row.group(1)).isEqualTo(String.valueOf(value));
                compared++;
            }
        }
        assertThat(compared).as("rows").isGreaterThan(15);
    }

    @Test
    void javadocDefaultsMatchTheCode() throws ReflectiveOperationException {
        String source = ShellCommands.read(DocumentPage.ROOT.resolve("kcp-core/src/main/java/io/kcp/core/KcpConfigBuilder.java"));
        KcpConfig defaults = KcpConfig.builder().build();
        int compared = 0;
        for (String member : source.split("/\\*\\*", -1)) {
            Matcher setter = Pattern.compile("public KcpConfigBuilder (\\w+)\\(").matcher(member);
            Matcher value = JAVADOC_DEFAULT.matcher(member.replaceAll("\\s*\\n\\s*\\*\\s*", " "));
            if (setter.find() && value.find() && !MINIMUM_RTO.equals(setter.group(1))) {
                assertThat(value.group(1)).as(setter.group(1))
                    .isEqualTo(String.valueOf(KcpConfig.class.getMethod(setter.group(1)).invoke(defaults)));
                compared++;
            }
        }
        assertThat(compared).as("settings").isGreaterThan(20);
    }

    @Test
    void tuningPagePresetsMatchTheCode() throws ReflectiveOperationException {
        String page = ShellCommands.read(DocumentPage.ROOT.resolve("src/site/markdown/tuning.md"));
        List<MatchResult> rows = PRESET.matcher(page).results().toList();
        for (MatchResult row : rows) {
            KcpConfig preset = (KcpConfig) KcpConfig.class.getMethod(row.group(1)).invoke(null);
            assertThat(row.group(2)).as(row.group(1)).isEqualTo(preset.noDelay() + " | " + preset.intervalMs() + " | "
                + preset.minRtoMs() + " | " + preset.fastResend());
        }
        assertThat(rows).hasSize(6);
    }
}
