package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Documents name only properties that the starter has, and boot-properties.md matches its metadata. */
class BootPropertiesTest {

    private static final BootProperties KNOWN = new BootProperties();
    private static final Path PAGE = DocumentPage.ROOT.resolve("src/site/markdown/boot-properties.md");

    static Stream<DocumentPage> pages() {
        return Stream.concat(DocumentPage.all(), DocumentPage.changelog());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void propertiesExist(DocumentPage page) throws Exception {
        List<String> names = new ArrayList<>();
        for (DocumentPage.CodeBlock block : page.blocks("properties")) {
            Properties properties = new Properties();
            properties.load(new StringReader(block.text()));
            names.addAll(BootProperties.names(properties));
        }
        page.blocks("yaml").forEach(block -> names.addAll(BootProperties.namesInYaml(block.text())));
        page.codeSpans().stream().filter(span -> span.matches("kcp\\.(server|servers|client|clients)\\.[\\w.-]+(=.*)?"))
            .forEach(span -> names.add(span.replaceFirst("=.*", "")));
        assertThat(names.stream().filter(name -> !KNOWN.exists(name))).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void jsonIsWellFormed(DocumentPage page) {
        for (DocumentPage.CodeBlock block : page.blocks("json")) {
            assertThat(JsonMapper.shared().readTree(block.text()).isEmpty()).isFalse();
        }
    }

    /** Run with -Dkcp.documents.write=true to regenerate the page after the properties have changed. */
    @Test
    void propertyTableMatchesTheMetadata() throws Exception {
        String text = Files.readString(PAGE);
        String expected = text.substring(0, text.indexOf("| property | type")) + KNOWN.table();
        if (Boolean.getBoolean("kcp.documents.write")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE)).as("run this test with -Dkcp.documents.write=true").isEqualTo(expected);
    }

    @Test
    void unknownPropertyIsReported() {
        assertThat(KNOWN.exists("kcp.server.port")).isTrue();
        assertThat(KNOWN.exists("kcp.servers.lobby.crypt.key-file")).isTrue();
        assertThat(KNOWN.exists("kcp.server.prot")).isFalse();
        assertThat(KNOWN.exists("kcp.servers.lobby.crypt.kee")).isFalse();
        assertThat(KNOWN.exists("spring.lifecycle.timeout-per-shutdown-phase")).isTrue();
        assertThat(KNOWN.exists("spring.lifecycle.timeout")).isFalse();
        assertThat(BootProperties.namesInYaml("kcp:\n  server:\n    port: 1\n")).containsExactly("kcp.server.port");
    }
}
