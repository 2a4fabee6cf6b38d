package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Jazzer ignores saved inputs whose folder does not belong to a test, as after a test was renamed. */
class FuzzInputsTest {

    private static final String INPUTS = "Inputs";

    private static Stream<Path> inputs(Path module) {
        Path resources = module.resolve("src/test/resources");
        if (!Files.isDirectory(resources)) {
            return Stream.empty();
        }
        try (Stream<Path> folders = Files.walk(resources)) {
            return folders.filter(folder -> folder.getFileName().toString().endsWith("FuzzTest" + INPUTS)).toList().stream();
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    /** Returns the test that replays the inputs of a folder. */
    private static Path test(Path inputs) {
        String path = inputs.toString().replace("/src/test/resources/", "/src/test/java/");
        return Path.of(path.substring(0, path.length() - INPUTS.length()) + ".java");
    }

    @Test
    void savedInputsBelongToATest() throws IOException {
        List<Path> folders;
        try (Stream<Path> modules = Files.list(DocumentPage.ROOT)) {
            folders = modules.flatMap(FuzzInputsTest::inputs).toList();
        }
        assertThat(folders).hasSizeGreaterThan(5);
        assertThat(folders).allSatisfy(folder -> assertThat(test(folder)).exists());
    }
}
