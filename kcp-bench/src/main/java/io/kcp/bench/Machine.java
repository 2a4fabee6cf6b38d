package io.kcp.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where and when figures were taken; without that they mean nothing. */
final class Machine {

    private Machine() {
    }

    /** In the words of results files. */
    static Map<String, @Nullable Object> describe(List<String> arguments) {
        Map<String, @Nullable Object> machine = new LinkedHashMap<>();
        machine.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        machine.put("commit", commit());
        machine.put("command", "SideBySide " + String.join(" ", arguments));
        machine.put("cpu", cpu());
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("system", System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' '
            + System.getProperty("os.arch"));
        machine.put("jdk", System.getProperty("java.vm.name") + ' ' + System.getProperty("java.runtime.version"));
        machine.put("load_average", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        return machine;
    }

    /** Returns the model name of the processor. */
    static String cpu() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse("unknown");
        } catch (IOException notLinux) {
            return "unknown";
        }
    }

    /** Of the working directory; "+" stands for what is not committed. */
    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty=+").redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? "unknown" : commit;
        } catch (IOException noGit) {
            return "unknown";
        }
    }
}
