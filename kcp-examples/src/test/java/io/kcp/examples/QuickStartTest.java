package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the first two programs of quick-start-netty.md unchanged and compares their output with the page. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuickStartTest {

    private static final String NUMBER = "\\d+";

    @TempDir
    private Path classes;

    private Process start(String type, String port) throws IOException {
        // The option that the page recommends for Netty's native libraries. Older Java versions do not support it.
        String option = Runtime.version().feature() >= 22 ? "--enable-native-access=ALL-UNNAMED" : "-Xshare:auto";
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), option, "-cp",
            classes + File.pathSeparator + System.getProperty("java.class.path"),
            "documents.src_site_markdown_quick_start_netty_md." + type, port).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void firstServerAndFirstClientCommunicate() throws Exception {
        DocumentPage page = DocumentPage.read(DocumentPage.ROOT.resolve("src/site/markdown/quick-start-netty.md"));
        assertThat(new JavaBlocks().compile(page, classes)).isEmpty();
        Process server = start("QuickServer", "0");
        try (BufferedReader serverSays = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            String listening = serverSays.readLine();
            assertThat(listening.replaceAll(NUMBER, "0")).isEqualTo(page.blocks("text").get(0).text().strip().replaceAll(NUMBER, "0"));
            Process client = start("QuickClient", listening.replaceFirst(".*:", ""));
            try {
                String clientSays = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(clientSays).isEqualTo(page.blocks("text").get(1).text());
                assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(client.exitValue()).isZero();
            } finally {
                client.destroyForcibly();
            }
        } finally {
            server.destroyForcibly();
        }
    }
}
