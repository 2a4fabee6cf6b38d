package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DevToolsTest {

    @Test
    void theBrowserWritesIntoItsFolderAndLeavesNoProcess(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        Path program = DevTools.findBrowser();
        assumeTrue(program != null, "there is no Chromium on the PATH (Debian: apt-get install chromium)");
        try (DevTools page = DevTools.open(program, folder, 200, 200)) {
            assertThat(page.evaluate("document.URL")).isEqualTo("about:blank");
            assertThat(folder.resolve("tmp")).isNotEmptyDirectory();
            assertThat(processesOf(folder)).isNotEmpty();
        }
        assertThat(processesOf(folder)).isEmpty();
    }

    @Test
    void whatScriptsOfThePageThrowIsKept(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        Path program = DevTools.findBrowser();
        assumeTrue(program != null, "there is no Chromium on the PATH (Debian: apt-get install chromium)");
        try (DevTools page = DevTools.open(program, folder, 200, 200)) {
            assertThat(page.errors()).isEmpty();
            page.evaluate("setTimeout(() => { console.error('first'); throw new Error('second'); }), ''");
            long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (page.errors().size() < 2 && System.nanoTime() - endNanos < 0) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(page.errors()).satisfiesExactly(console -> assertThat(console).contains("first"),
                thrown -> assertThat(thrown).contains("Error: second"));
        }
    }

    private static List<String> processesOf(Path folder) {
        return ProcessHandle.allProcesses().flatMap(process -> process.info().commandLine().stream())
            .filter(command -> command.contains(folder.toString())).toList();
    }
}
