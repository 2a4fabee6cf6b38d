package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import tools.jackson.databind.node.ObjectNode;

/** JSON file of a command whose results are records. It describes the machine and the command like a {@link ResultsFile}. */
final class RowsFile {

    private final @Nullable Path file;
    private final String field;
    private final ObjectNode content;

    /**
     * Describes the machine.
     *
     * @param file    the file, or null to write nothing
     * @param field   field of the results
     * @param seconds measured time of a run
     */
    RowsFile(@Nullable Path file, CommandLine command, String field, int rounds, double seconds) {
        this.file = file;
        this.field = field;
        content = Json.MAPPER.valueToTree(ResultsFile.describe(command, rounds, seconds, false));
        content.remove(List.of("quick", "scenarios"));
    }

    /** Writes the file with all results so far, and creates its directory if necessary. */
    void write(List<? extends Record> results) throws IOException {
        if (file != null) {
            content.set(field, Json.MAPPER.valueToTree(results));
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            Files.writeString(file, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(content) + '\n');
        }
    }
}
