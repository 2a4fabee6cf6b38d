package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BrowserTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void closedBrowserLeavesNoProcess(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        try (Browser page = Browser.open(folder, 200, 200)) {
            page.show("about:blank");
            assertThat(page.evaluate("document.URL")).isEqualTo("about:blank");
            assertThat(processesOf(folder)).isNotEmpty();
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(processesOf(folder)).isEmpty());
    }

    @Test
    @Tag("slow")
    void errorsOfScriptsAreReported(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        try (Browser page = Browser.open(folder, 200, 200)) {
            assertThat(page.errors()).isEmpty();
            page.evaluate("setTimeout(() => { console.error('first'); throw new Error('second'); })");
            List<String> errors = new ArrayList<>();
            await().atMost(SOON).until(() -> errors.addAll(page.errors()) && errors.size() >= 2);
            assertThat(errors).satisfiesExactly(console -> assertThat(console).contains("first"),
                thrown -> assertThat(thrown).contains("Error: second"));
        }
    }

    private static List<String> processesOf(Path folder) {
        return ProcessHandle.allProcesses().flatMap(process -> process.info().commandLine().stream())
            .filter(command -> command.contains(folder.toString())).toList();
    }
}
