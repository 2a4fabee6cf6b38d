package io.kcp.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The end of a {@link JUnitProgram} in a child process.
 *
 * @param output   its output and errors
 * @param exitCode 1 if the launcher session failed
 */
record ChildRun(String output, int exitCode) {

    static ChildRun of(List<String> options, Class<?>... tests) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        builder.command().addAll(options);
        builder.command().addAll(List.of("-cp", System.getProperty("java.class.path"), JUnitProgram.class.getName()));
        for (Class<?> test : tests) {
            builder.command().add(test.getName());
        }
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ChildRun(output, process.waitFor());
    }
}
