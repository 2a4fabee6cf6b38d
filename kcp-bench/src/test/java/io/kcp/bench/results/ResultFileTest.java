package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResultFileTest {

    private static final Map<String, String> OURS = Map.of("scenario", "echo", "peer", "ours");
    private static final Map<String, String> KCP_GO = Map.of("scenario", "echo", "peer", "kcp-go");

    @TempDir
    private Path directory;

    private ResultFile.Builder builder() {
        return ResultFile.start("side-by-side", List.of("java", "-cp", "a.jar", "Runner", "--peers", "ours fast"), Map.of("rounds", "3"))
            .go("go1.26");
    }

    private Path written() throws Exception {
        Path file = directory.resolve("sub").resolve("side-by-side.json");
        ResultFile.Builder builder = builder().add(OURS, 1, 0.1, Map.of("mb_s", 234.5, "p99_us", Double.NaN));
        builder.write(file);
        builder.addFailure(KCP_GO, 1, "connection \"refused\"").add(OURS, 2, Double.NaN, Map.of("mb_s", 1e-7));
        builder.write(file);
        return file;
    }

    @Test
    void fileIsReadAsItWasWritten() throws Exception {
        ResultFile file = ResultFile.read(written());
        assertThat(file.command()).isEqualTo("java -cp a.jar Runner --peers 'ours fast'");
        assertThat(file.options()).containsExactly(Map.entry("rounds", "3"));
        assertThat(file.go()).isEqualTo("go1.26");
        assertThat(file.jarSha256()).as("classes are in a folder").isNull();
        assertThat(file.machine()).isEqualTo(Machine.current());
        assertThat(file.runs()).containsExactly(
            new ResultFile.Run(OURS, 1, 1, 0.1, Map.of("mb_s", 234.5), null),
            new ResultFile.Run(KCP_GO, 1, 2, null, Map.of(), "connection \"refused\""),
            new ResultFile.Run(OURS, 2, 3, null, Map.of("mb_s", 1e-7), null));
        assertThat(directory.resolve("sub")).isDirectoryContaining(path -> path.endsWith("side-by-side.json"))
            .isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
    }

    @Test
    void eachRunIsOneLine() throws Exception {
        assertThat(Files.readAllLines(written())).filteredOn(line -> line.startsWith("    {\"cell\":")).hasSize(3);
    }

    @Test
    void fileWithoutRunsIsReadable() throws Exception {
        Path file = directory.resolve("empty.json");
        builder().write(file);
        assertThat(ResultFile.read(file).runs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"format", "experiment", "started", "finished", "modified", "command", "processor", "processors", "kernel",
        "java", "options"})
    void missingFieldIsNamed(String field) throws Exception {
        assertInvalid("\"" + field + "\": ", "\"other\": ", field + " is missing");
    }

    @ParameterizedTest
    @CsvSource({"cell, runs[0].cell is missing", "round, runs[0].round is missing", "order, runs[0].order is missing",
        "metrics, runs[0].metrics is missing", "stealPercent, runs[0].other is not a known field"})
    void missingFieldOfARunIsNamed(String field, String message) throws Exception {
        assertInvalid("\"" + field + "\":", "\"other\":", message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "\"format\": 1;\"format\": 2;format is 2, but this program reads only 1",
        "\"modified\": ;\"modified\": 1, \"x\": ;modified must be true or false",
        "\"round\":1;\"round\":1.5;runs[0].round must be an integer",
        "234.5;\"234.5\";runs[0].metrics.mb_s must be a number",
        "\"round\":1;\"round\":1,\"round\":1;is not valid JSON",
        "\"go\": ;\"gone\": ;gone is not a known field",
        "\"started\": \"20;\"started\": \"x20;started is not a time",
        "\"options\": {;\"options\": 1, \"x\": {;options must be a JSON object"})
    void invalidFieldIsNamed(String valid, String invalid, String message) throws Exception {
        assertInvalid(valid, invalid, message);
    }

    private void assertInvalid(String valid, String invalid, String message) throws Exception {
        Path file = written();
        String text = Files.readString(file);
        int at = text.indexOf(valid);
        assertThat(at).isNotNegative();
        Files.writeString(file, text.substring(0, at) + invalid + text.substring(at + valid.length()));
        assertThatIllegalArgumentException().isThrownBy(() -> ResultFile.read(file)).withMessageContaining("side-by-side.json")
            .withMessageContaining(message);
    }

    @Test
    void commitAndChangesComeFromGit() throws Exception {
        assertThat(Sources.of(directory)).as("outside a clone").isEqualTo(new Sources(null, false));
        Files.createDirectories(directory.resolve("src/site/results"));
        Path page = Files.writeString(directory.resolve("src/site/results/a.json"), "1");
        Path program = Files.writeString(directory.resolve("Program.java"), "1");
        git("init", "-q");
        git("add", "-A");
        git("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "First");
        Sources clean = Sources.of(directory);
        assertThat(clean.commit()).matches("[0-9a-f]{40}");
        assertThat(clean.modified()).isFalse();
        Files.writeString(page, "2");
        assertThat(Sources.of(directory)).as("a result file was written").isEqualTo(clean);
        Files.writeString(program, "2");
        assertThat(Sources.of(directory)).isEqualTo(new Sources(clean.commit(), true));
    }

    private void git(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        assertThat(new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start().waitFor()).isZero();
    }

    @Test
    void hashIsThatOfTheFile() throws Exception {
        Path file = Files.writeString(directory.resolve("a.jar"), "abc");
        assertThat(Sources.sha256(file)).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
