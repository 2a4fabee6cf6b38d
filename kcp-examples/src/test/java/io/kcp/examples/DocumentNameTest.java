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

    /** Names that are defined outside the sources: kernels, Netty, Kubernetes, Gradle, game engines, the C original, kcp2k, java-Kcp. */
    private static final Set<String> ELSEWHERE = Set.of("UdpRcvbufErrors", "WSAStartup", "WSAECONNRESET", "MSG_DONTWAIT", "SO_REUSEPORT",
        "FSocket", "PacketPeerUDP", "EpollIoHandler", "LengthFieldBasedFrameDecoder", "SslHandler", "IdleStateHandler",
        "LoggingHandler", "autoRead", "terminationGracePeriodSeconds", "mavenLocal", "PeekSize", "setFecAdapt", "setTimeoutMillis");

    static Stream<DocumentPage> pages() {
        return DocumentPage.all();
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
            try (Stream<Path> files = Files.walk(DocumentPage.ROOT)) {
                files.filter(file -> SOURCE.matcher(file.toString()).matches() && !file.toString().contains("/target/")
                    && !file.toString().contains("/build/")).forEach(file -> addWords(ShellCommands.read(file), words));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            return words;
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
