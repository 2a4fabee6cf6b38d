package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@Timeout(60)
class DemoTest {

    @TempDir
    private Path temporary;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"message", "stream"})
    void printsATableAndDrawsEveryPreset(String mode) throws Exception {
        byte[] content = new byte[300_001];
        new Random(1).nextBytes(content);
        Path file = Files.write(temporary.resolve("a&b.bin"), content);
        Path report = temporary.resolve("new").resolve("report.html");

        assertThat(run("--file", file.toString(), "--rate", "1", "--mode", mode, "--report", report.toString())).isZero();

        assertThat(output.toString().lines().filter(line -> line.contains("SHA-256 ok"))).hasSize(4);
        assertThat(output.toString()).contains("preset", "goodput", "p99", report.toUri().toString());
        Document page = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile());
        NodeList pictures = page.getElementsByTagName("svg");
        assertThat(pictures.getLength()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(series((Element) pictures.item(i))).containsExactly("normal", "fast", "fast3", "fast3 + FEC 10:3");
        }
        assertThat(page.getElementsByTagName("tr").getLength()).isEqualTo(5);
        // Nothing is fetched from anywhere.
        assertThat(Files.readString(report)).doesNotContain("http:", "https:", "src=", "href=", "NaN", "Infinity");
    }

    @Test
    void withoutAFileItSaysWhatToDo() {
        assertThat(run("--file", temporary.resolve("missing").toString())).isOne();
        assertThat(errors.toString()).startsWith("demo: nothing to send in ").contains("--file");
    }

    @Test
    void anImpossibleLinkIsRefused() {
        assertThat(run("--loss", "120")).isOne();
        assertThat(errors.toString()).contains("loss: 120.0 (expected: 0 to 100 percent)");
    }

    private int run(String... arguments) {
        return Launcher.commandLine(new Demo()).setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true))
            .execute(arguments);
    }

    private static List<String> series(Element picture) {
        List<String> presets = new ArrayList<>();
        NodeList groups = picture.getElementsByTagName("g");
        for (int i = 0; i < groups.getLength(); i++) {
            Element group = (Element) groups.item(i);
            assertThat(group.getElementsByTagName("path").getLength()).isOne();
            presets.add(group.getAttribute("data-preset"));
        }
        return presets;
    }
}
