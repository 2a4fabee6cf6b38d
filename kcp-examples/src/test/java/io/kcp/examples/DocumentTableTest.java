package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.DropReason;
import io.kcp.netty.KcpCloseReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reference tables list every constant, and dotted names such as {@code kcp.sessions.closed} on pages exist in the sources. */
class DocumentTableTest {

    /** Matches names of properties, meters, packages and classes, but not a path such as {@code /etc/kcp.d/}. */
    private static final Pattern DOTTED = Pattern.compile("(?<![\\w./-])(?:io\\.)?kcp\\.[a-zA-Z][\\w.-]*\\w");
    private static final Pattern FILE = Pattern.compile(".*\\.(?:json|dll|key|pcap|jfr|sh|yaml|conf)");

    static Stream<DocumentPage> pages() {
        return DocumentPage.allLinked();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void dottedNamesExist(DocumentPage page) {
        Set<String> absent = new TreeSet<>();
        Stream<String> commands = page.blocks("sh").stream().map(DocumentPage.CodeBlock::text);
        for (String text : Stream.concat(page.codeSpans().stream(), commands).toList()) {
            Matcher name = DOTTED.matcher(text);
            while (name.find()) {
                if (!exists(name.group()) && !FILE.matcher(name.group()).matches()) {
                    absent.add(name.group());
                }
            }
        }
        assertThat(absent).isEmpty();
    }

    /** Returns {@code true} if the sources or the metrics page contain the name, or a longer name that begins with it and a dot. */
    private static boolean exists(String name) {
        return Known.NAMES.contains(name) || name.startsWith("kcp.") && Known.PROPERTIES.exists(name)
            || Known.NAMES.stream().anyMatch(known -> known.startsWith(name + '.'));
    }

    /** Dotted names in the sources, their classes, and the meters, which another test compares with the sources. Initialized only once. */
    private static final class Known {

        static final BootProperties PROPERTIES = new BootProperties();
        static final Set<String> NAMES = names();

        private static Set<String> names() {
            Set<String> names = new HashSet<>(firstCells("metrics.md", "## List of meters"));
            DocumentNameTest.sourceFiles().forEach(file -> {
                DOTTED.matcher(ShellCommands.read(file)).results().forEach(name -> names.add(name.group()));
                Matcher type = Pattern.compile(".*/java/(io/kcp/.*)\\.java").matcher(file.toString());
                if (type.matches()) {
                    names.add(type.group(1).replace('/', '.'));
                }
            });
            return names;
        }
    }

    @Test
    void metricsPageExplainsEveryDropReason() {
        List<String> reasons = Stream.of(DropReason.values()).map(reason -> reason.name().toLowerCase(Locale.ROOT)).toList();
        assertThat(firstCells("metrics.md", "## Reasons for dropped datagrams")).containsExactlyInAnyOrderElementsOf(reasons);
    }

    @Test
    void sessionsPageExplainsEveryCloseReason() {
        List<String> reasons = Stream.of(KcpCloseReason.values()).map(KcpCloseReason::name).toList();
        assertThat(firstCells("sessions.md", "## Close reasons")).containsExactlyInAnyOrderElementsOf(reasons);
    }

    /** Returns the names in code font in the first column of the first table below a heading, without the row of the column titles. */
    private static List<String> firstCells(String page, String heading) {
        String text = ShellCommands.read(DocumentPage.ROOT.resolve("src/site/markdown").resolve(page));
        List<String> names = new ArrayList<>();
        boolean inTable = false;
        for (String line : text.substring(text.indexOf(heading)).lines().toList()) {
            if (inTable && !line.startsWith("|")) {
                break;
            }
            if (inTable) {
                Matcher name = Pattern.compile("`([\\w.]+)`").matcher(line.split("\\|", 3)[1]);
                while (name.find()) {
                    names.add(name.group(1));
                }
            }
            inTable |= line.startsWith("|--");
        }
        return names;
    }

    /** The unknown names are composed, because this file belongs to the sources as well. */
    @Test
    void unknownNameIsReported() {
        String unknown = "unknown";
        assertThat(exists("kcp.sessions.closed")).isTrue();
        assertThat(exists("kcp.sessions." + unknown)).isFalse();
        assertThat(exists("io.kcp.netty.smux")).isTrue();
        assertThat(exists("io.kcp.netty.KcpChannel")).isTrue();
        assertThat(exists("io.kcp.netty." + unknown)).isFalse();
    }
}
