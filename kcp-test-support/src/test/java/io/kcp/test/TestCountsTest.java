package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code src/build/TestCounts.java}. */
@Timeout(120)
class TestCountsTest {

    @TempDir
    private Path directory;

    @Test
    void casesAreCountedAndSkipsAreGroupedByReason() throws Exception {
        write("first/TEST-a.A.xml", """
            <testsuite><testcase name="one" classname="a.A"/>
            <testcase name="two" classname="a.A"><failure message="x">x</failure></testcase>
            <testcase name="three" classname="a.A"><skipped type="org.opentest4j.TestAbortedException"><![CDATA[\
            org.opentest4j.TestAbortedException: Assumption failed: no tool
            \tat a.A.three(A.java:7)]]></skipped></testcase></testsuite>""");
        write("second/TEST-b.B.xml", """
            <testsuite><testcase name="four" classname="b.B"><skipped message="no tool"/></testcase>
            <testcase name="five" classname="b.B"><error/></testcase><testcase name="six" classname="b.B"/></testsuite>""");
        assertThat(count()).isEqualTo("2 skipped: no tool\n    a.A.three\n    b.B.four\n2 passed, 2 failed, 2 skipped\n");
    }

    @Test
    void noReportIsAnError() throws Exception {
        assertThat(count()).startsWith("No file TEST-*.xml below ");
    }

    private void write(String file, String xml) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, xml);
    }

    private String count() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            Path.of("..", "src", "build", "TestCounts.java").toString(), directory.toString())).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(output.startsWith("No file") ? 1 : 0);
        return output;
    }
}
