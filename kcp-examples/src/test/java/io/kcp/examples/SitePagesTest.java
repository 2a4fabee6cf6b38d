package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The site menu contains all pages, and {@code SitePages} prepares them for {@code mvn site}. */
@Timeout(60)
class SitePagesTest {

    private static final Path MARKDOWN = DocumentPage.ROOT.resolve("src/site/markdown");

    @TempDir
    private Path output;

    @Test
    void menuContainsExactlyThePages() {
        Set<String> menu = Pattern.compile("<item [^>]*href=\"([^\"]+)\\.html\"").matcher(ShellCommands.read(
            DocumentPage.ROOT.resolve("src/site/site.xml"))).results().map(item -> item.group(1)).collect(Collectors.toSet());
        Set<String> pages = DocumentPage.all().map(DocumentPage::file).filter(file -> !file.endsWith("README.md"))
            .map(file -> file.startsWith(MARKDOWN) ? MARKDOWN.relativize(file).toString()
                : file.getFileName().toString().toLowerCase(Locale.ROOT)).map(name -> name.replace(".md", "")).collect(Collectors.toSet());
        pages.add("changelog");
        pages.add("apidocs/index");
        assertThat(menu).isEqualTo(pages);
    }

    @Test
    void linksAndAnchorsWorkInTheSite() throws Exception {
        run();
        String tuning = Files.readString(output.resolve("markdown/tuning.md"));
        String tests = Files.readString(output.resolve("markdown/contributing/tests.md"));
        assertThat(tuning).contains("## <a id=\"settings-by-symptom\"></a>Settings by symptom").doesNotContain("<!-- java:");
        assertThat(tests).contains("](../tuning.md)");
        assertThat(Files.readString(output.resolve("markdown/performance.md"))).doesNotContain("<!-- table:", "<!-- end of", "SHA-256");
        assertThat(Files.readString(output.resolve("markdown/security.md"))).contains("](sizing.md#limits-on-the-number-of-sessions)");
        assertThat(Files.readString(output.resolve("markdown/index.md"))).contains("](security.md)",
            "](https://example.org/tree/HEAD/kcp-examples/");
        try (Stream<Path> files = Files.walk(output.resolve("markdown"))) {
            files.filter(Files::isRegularFile).forEach(this::checkLinks);
        }
    }

    private void checkLinks(Path page) {
        Path folder = output.resolve("markdown").relativize(page.getParent());
        for (DocumentPage.Link link : DocumentPage.read(page).links()) {
            String target = link.target().replaceFirst("#.*", "");
            assertThat(target.isEmpty() || target.startsWith("https:")
                || Files.exists(output.resolve("markdown").resolve(folder).resolve(target))
                || Files.exists(output.resolve("resources").resolve(folder).resolve(target).normalize()))
                .as("%s: %s", page, target).isTrue();
        }
    }

    private void run() throws IOException, InterruptedException {
        try (ChildProcess sitePages = ChildProcess.java(DocumentPage.ROOT.resolve("src/build/SitePages.java").toString(),
            DocumentPage.ROOT.toString(), output.toString(), "https://example.org")) {
            sitePages.awaitSuccess(50);
        }
    }
}
