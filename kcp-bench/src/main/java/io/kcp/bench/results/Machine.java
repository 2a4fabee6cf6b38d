package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Machine on which an experiment ran.
 *
 * @param processor  model name of the processor
 * @param processors number of processors that the JVM may use
 * @param kernel     name and version of the operating system
 * @param java       name and version of the JVM
 */
public record Machine(String processor, int processors, String kernel, String java) {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    static Machine current() {
        return new Machine(processorModel(), Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' ' + System.getProperty("os.arch"),
            System.getProperty("java.vm.name") + ' ' + System.getProperty("java.runtime.version"));
    }

    /** Returns the model name that Linux reports, or the name of the architecture on other systems. */
    private static String processorModel() {
        try {
            return Files.readAllLines(CPU_INFO).stream().filter(line -> line.startsWith(MODEL))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElseGet(Machine::architecture);
        } catch (IOException notLinux) {
            return architecture();
        }
    }

    private static String architecture() {
        return System.getProperty("os.arch");
    }
}
