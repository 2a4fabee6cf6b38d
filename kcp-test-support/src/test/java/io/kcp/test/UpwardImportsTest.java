package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpwardImportsTest {

    @TempDir
    private Path sources;

    @Test
    void importsOfHigherLayersAreFound() throws Exception {
        Files.writeString(sources.resolve("Low.java"), """
            package a.low;

            import static a.high.High.CONSTANT;

            import a.high.High;
            import a.other.Other;

            /** See {@link High}. */
            class Low {
            }
            """);
        Files.writeString(sources.resolve("High.java"), """
            package a.high;

            import a.low.Low;

            class High extends Low {
            }
            """);
        assertThat(UpwardImports.find(sources, List.of("a.low", "a.high")))
            .containsExactly("Low.java: import static a.high.High.CONSTANT;", "Low.java: import a.high.High;");
    }
}
