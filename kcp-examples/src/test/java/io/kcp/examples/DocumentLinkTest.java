package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files, headings and tests that documents refer to exist. Network addresses are not checked. */
class DocumentLinkTest {

    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern TEST_NAME = Pattern.compile("\\b([A-Z]\\w*Test)\\b(?:\\.(\\w+)(…)?)?");

    static Stream<DocumentPage> pages() {
        return DocumentPage.allLinked();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void linkTargetsExist(DocumentPage page) {
        assertThat(brokenLinks(page)).isEmpty();
    }

    private static List<String> brokenLinks(DocumentPage page) {
        List<String> broken = new ArrayList<>();
        for (DocumentPage.Link link : page.links()) {
            if (ELSEWHERE.matcher(link.target()).matches()) {
                continue;
            }
            String[] parts = link.target().split("#", 2);
            Path target = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
            boolean found = target.equals(page.file()) || target.startsWith(DocumentPage.ROOT) && Files.exists(target);
            if (!found || parts.length == 2 && !anchors(page, target).contains(parts[1])) {
                broken.add(page.name() + ":" + link.line() + ": " + link.target());
            }
        }
        return broken;
    }

    private static Set<String> anchors(DocumentPage page, Path target) {
        return target.equals(page.file()) ? page.anchors() : DocumentPage.read(target).anchors();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void namedTestsExist(DocumentPage page) {
        Map<String, Path> tests = ShellCommands.sources().filter(file -> file.toString().endsWith("Test.java"))
            .collect(Collectors.toMap(file -> file.getFileName().toString().replace(".java", ""), Function.identity(),
                (one, other) -> one));
        List<String> absent = new ArrayList<>();
        for (String span : page.codeSpans()) {
            Matcher name = TEST_NAME.matcher(span);
            while (name.find()) {
                Path test = tests.get(name.group(1));
                boolean found = test != null && (name.group(2) == null || ShellCommands.read(test).contains(" " + name.group(2)));
                if (!found) {
                    absent.add(span);
                }
            }
        }
        assertThat(absent).isEmpty();
    }

    @Test
    void everyPageIsLinkedFromReadmeOrGuide() {
        Set<Path> linked = Stream.of("README.md", "src/site/markdown/index.md").map(DocumentPage.ROOT::resolve).map(DocumentPage::read)
            .flatMap(page -> page.links().stream()
                .map(link -> page.file().resolveSibling(link.target().replaceFirst("#.*", "")).normalize()))
            .collect(Collectors.toSet());
        assertThat(DocumentPage.all().map(DocumentPage::file).filter(file -> !file.endsWith("README.md") && !file.endsWith("index.md")))
            .as("link a new page from src/site/markdown/index.md").isSubsetOf(linked);
    }

    @Test
    void brokenLinkIsReported() {
        DocumentPage page = DocumentPage.of("page.md", """
            # The first heading

            [good](README.md), [good](#the-first-heading), [`code`](src/site/markdown/tuning.md#presets-of-kcpconfig), `[no](link)`

            [file](READ_ME.md) [heading](#the-second-heading) [elsewhere](../shared/x.md)
            [there](src/site/markdown/tuning.md#par)

            ```text
            [no](link)
            ```
            """);
        assertThat(brokenLinks(page)).containsExactly("page.md:5: READ_ME.md", "page.md:5: #the-second-heading",
            "page.md:5: ../shared/x.md", "page.md:6: src/site/markdown/tuning.md#par");
    }
}
