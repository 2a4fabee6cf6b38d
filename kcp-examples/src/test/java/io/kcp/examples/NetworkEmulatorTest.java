package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of network emulators in contributing/tests.md names each of their classes. */
class NetworkEmulatorTest {

    private static final DocumentPage PAGE = DocumentPage.read(DocumentPage.ROOT.resolve("src/site/markdown/contributing/tests.md"));
    /** The names that emulators have. A new emulator with another kind of name is to be added here. */
    private static final Pattern EMULATOR =
        Pattern.compile("\\w*(?:Link|LinkHandler|Network|Hosts|Pair|Path|Relay|Bottleneck|Loopback|OnTestThread)");
    /** Classes of the library, of the tunnel and of the arena that have such a name but emulate nothing. */
    private static final Set<String> OTHERS = Set.of("BotLink", "PeerPath", "Relay");

    private static List<String> emulators(Stream<Path> files) {
        return files.map(file -> file.getFileName().toString().replace(".java", "")).filter(EMULATOR.asMatchPredicate())
            .filter(name -> !OTHERS.contains(name)).toList();
    }

    /** Returns the code spans in the first cell of each row below a heading. */
    private static List<String> rows(String text) {
        String section = text.substring(text.indexOf("## Network emulators")).split("\n## ")[0];
        Matcher cell = Pattern.compile("(?m)^\\|([^|]*)\\|").matcher(section);
        return cell.results().flatMap(row -> Pattern.compile("`(\\w+)`").matcher(row.group(1)).results())
            .map(span -> span.group(1)).toList();
    }

    @Test
    void tableNamesEachEmulator() {
        List<String> found = emulators(ShellCommands.sources());
        assertThat(found).hasSizeGreaterThan(10);
        assertThat(rows(ShellCommands.read(PAGE.file()))).as("first column of the table in " + PAGE.name()).containsAll(found);
    }

    @Test
    void missingEmulatorIsReported() {
        List<String> found = emulators(Stream.of(Path.of("a/NewLink.java"), Path.of("a/PeerPath.java"), Path.of("a/LinkTest.java")));
        assertThat(found).containsExactly("NewLink");
        assertThat(rows("## Network emulators\n\n| `Old` and `OldLink` | `NewLink` |\n\n## Next\n\n| `NewLink` |\n"))
            .containsExactly("Old", "OldLink");
    }
}
