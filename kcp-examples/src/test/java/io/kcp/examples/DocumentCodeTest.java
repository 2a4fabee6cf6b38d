package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.DocumentPage.CodeBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/**
 * Checks every code block in the documents according to its language. Go, C++ and C# need their own compilers, so
 * {@link LiveDocumentCodeTest} compiles and runs them. {@link BootPropertiesTest} checks properties, YAML and JSON.
 */
@Timeout(120)
@Tag("jdk")
class DocumentCodeTest {

    /** The language of diagrams and program output. */
    private static final String TEXT = "text";
    private static final Set<String> CHECKED_HERE =
        Set.of("java", "xml", "json", "yaml", "properties", "sh", "kotlin", DocumentPage.INDENTED);
    private static final Pattern COMMAND = Pattern.compile("(?:\\w+=\\S* )*(?:mvn|java|src/|\\.ci/|kcp-|\\./).*");

    @TempDir
    private Path classes;

    static Stream<DocumentPage> pages() {
        return DocumentPage.all();
    }

    @Test
    void guideIsAmongThePages() {
        assertThat(pages().map(page -> page.file().getFileName().toString())).contains("README.md", "index.md", "balancers.md");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void everyBlockHasACheckedLanguage(DocumentPage page) {
        assertThat(page.blocks()).as("blocks without a check").allMatch(block -> block.language().equals(TEXT)
            || CHECKED_HERE.contains(block.language()) || LiveDocumentCodeTest.CHECKED.contains(block.language()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    @Tag("slow")
    void javaBlocksCompileWithoutWarnings(DocumentPage page) throws IOException {
        assertThat(new JavaBlocks().compile(page, classes)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void xmlIsWellFormedAndNamesExistingModules(DocumentPage page) throws Exception {
        for (CodeBlock block : page.blocks("xml")) {
            Element root = DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(new ByteArrayInputStream(
                ("<blocks>" + block.text() + "</blocks>").getBytes(StandardCharsets.UTF_8))).getDocumentElement();
            for (int i = 0; i < root.getElementsByTagName("artifactId").getLength(); i++) {
                Element artifact = (Element) root.getElementsByTagName("artifactId").item(i);
                Element dependency = (Element) artifact.getParentNode();
                if (text(dependency, "groupId").equals("io.kcp")) {
                    assertThat(ourArtifacts()).contains(artifact.getTextContent());
                    assertThat(text(dependency, "version")).isIn("", ourVersion(), ourVersion().replace("-SNAPSHOT", ""));
                }
            }
        }
    }

    /** Kotlin is not compiled. Its imports must exist, and the artifacts in Gradle files must be this project's, in its version. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void kotlinNamesExistingClassesAndModules(DocumentPage page) throws Exception {
        for (CodeBlock block : page.blocks("kotlin")) {
            Matcher imported = Pattern.compile("(?m)^import ([\\w.]+)$").matcher(block.text());
            while (imported.find()) {
                assertThat(Class.forName(imported.group(1), false, getClass().getClassLoader())).isPublic();
            }
            Matcher artifact = Pattern.compile("\"io\\.kcp:([\\w-]+):([^\"]+)\"").matcher(block.text());
            while (artifact.find()) {
                assertThat(ourArtifacts()).contains(artifact.group(1));
                assertThat(artifact.group(2)).isIn(ourVersion(), ourVersion().replace("-SNAPSHOT", ""));
            }
        }
    }

    private static String text(Element parent, String name) {
        return parent.getElementsByTagName(name).getLength() == 0 ? "" : parent.getElementsByTagName(name).item(0).getTextContent();
    }

    private static List<String> ourArtifacts() throws IOException {
        try (Stream<Path> files = Files.walk(DocumentPage.ROOT, 3)) {
            return files.filter(file -> file.endsWith("pom.xml") && !DocumentPage.isBelow("target", file)).map(ShellCommands::read)
                .map(pom -> pom.replaceFirst("(?s)<parent>.*?</parent>", "").replaceFirst("(?s).*?<artifactId>(.*?)</artifactId>.*", "$1"))
                .toList();
        }
    }

    private static String ourVersion() {
        return ShellCommands.read(DocumentPage.ROOT.resolve("pom.xml")).replaceFirst("(?s).*?<version>(.*?)</version>.*", "$1");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void commandsNameExistingFilesAndOptions(DocumentPage page) {
        List<String> complaints = new ArrayList<>();
        for (CodeBlock block : page.blocks("sh")) {
            ShellCommands.complaints(block.text()).forEach(complaint -> complaints.add(page + ":" + block.line() + ": " + complaint));
        }
        for (CodeBlock block : page.blocks(DocumentPage.INDENTED)) {
            block.text().lines().filter(line -> COMMAND.matcher(line).matches()).forEach(line -> ShellCommands.complaints(line)
                .forEach(complaint -> complaints.add(page + ":" + block.line() + ": " + complaint)));
        }
        assertThat(complaints).isEmpty();
    }

    /** The application in the README must equal a file that the tests of the starter run. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("pages")
    void exampleBlocksMatchTestFiles(DocumentPage page) {
        for (CodeBlock block : page.blocks("java")) {
            if (block.text().startsWith("package com.example.")) {
                assertThat(ShellCommands.sources().map(ShellCommands::read)).contains(block.text());
            }
        }
    }

    @Test
    void uncheckedLanguageIsReported() {
        DocumentPage page = DocumentPage.of("page.md", "```cobol\nSTOP RUN.\n```\n\n```\nwhat is this\n```\n");
        assertThat(page.blocks()).extracting(CodeBlock::language).containsExactly("cobol", "");
        assertThat(CHECKED_HERE).doesNotContain("cobol", "");
    }
}
