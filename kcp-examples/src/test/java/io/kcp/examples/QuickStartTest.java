package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.test.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the first two programs of quick-start-netty.md unchanged and compares their output with the page. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("jdk")
class QuickStartTest {

    private static final String NUMBER = "\\d+";

    @TempDir
    private Path classes;

    private ChildProcess start(String type, String port) throws IOException {
        // The option that the page recommends for Netty's native libraries. Older Java versions do not support it.
        String option = Runtime.version().feature() >= 22 ? "--enable-native-access=ALL-UNNAMED" : "-Xshare:auto";
        // The page shows the output without the warnings that libraries print as errors.
        return ChildProcess.start(new ProcessBuilder(ChildProcess.javaLauncher(), option, "-cp",
            classes + File.pathSeparator + System.getProperty("java.class.path"),
            "documents.src_site_markdown_quick_start_netty_md." + type, port));
    }

    @Test
    void firstServerAndFirstClientCommunicate() throws Exception {
        DocumentPage page = DocumentPage.read(DocumentPage.ROOT.resolve("src/site/markdown/quick-start-netty.md"));
        assertThat(new JavaBlocks().compile(page, classes)).isEmpty();
        try (ChildProcess server = start("QuickServer", "0")) {
            String listening = server.nextLine(30);
            assertThat(listening.replaceAll(NUMBER, "0")).isEqualTo(page.blocks("text").get(0).text().strip().replaceAll(NUMBER, "0"));
            try (ChildProcess client = start("QuickClient", listening.replaceFirst(".*:", ""))) {
                assertThat(client.awaitSuccess(30)).isEqualTo(page.blocks("text").get(1).text());
            }
        }
    }
}
