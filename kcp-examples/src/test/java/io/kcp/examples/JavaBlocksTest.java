package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link JavaBlocks} reports errors and warnings with their location. */
class JavaBlocksTest {

    @TempDir
    private Path classes;

    private List<String> compile(String page) throws Exception {
        return new JavaBlocks().compile(DocumentPage.of("page.md", page), classes);
    }

    private static String java(String code) {
        return "```java\n" + code + "\n```\n";
    }

    @Test
    void statementsMembersTypesAndWholeFilesCompile() throws Exception {
        assertThat(compile("# Page\n<!-- java: KcpChannel session; -->\n"
            + java("int window = KcpConfig.fast3().sendWindow();\nsession.close();")
            + java("static int twice(int x) {\n    return 2 * x;\n}")
            + java("final class Handler extends ChannelInboundHandlerAdapter {\n}")
            + java("new Handler();")
            + java("import java.util.List;\n\npublic class Whole {\n    List<Handler> handlers;\n}"))).isEmpty();
        assertThat(classes.resolve("documents/page_md/Whole.class")).exists();
    }

    @Test
    void errorIsReportedWithTheLineOfThePage() throws Exception {
        List<String> complaints = compile("# Page\n\n" + java("int window = 1;\nKcpConfig.fast4();"));
        assertThat(complaints).singleElement().asString().startsWith("page.md:5: ERROR").contains("fast4");
    }

    @Test
    void warningIsReported() throws Exception {
        assertThat(compile(java("java.util.List plain = null;"))).singleElement().asString()
            .startsWith("page.md:2: WARNING: ").contains("raw type");
    }

    @Test
    void completeFileGetsNoImports() throws Exception {
        assertThat(compile(java("import java.util.List;\n\nclass Whole {\n    KcpChannel session;\n}"))).singleElement().asString()
            .startsWith("page.md:5: ERROR").contains("KcpChannel");
    }
}
