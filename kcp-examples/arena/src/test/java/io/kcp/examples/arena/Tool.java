package io.kcp.examples.arena;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Programs and settings that the tests of the cluster run; {@code src/interop/install-cluster.sh} installs them. */
public final class Tool {

    /** Directory of the configuration files that the guide shows. */
    public static final Path SITE = Path.of("..", "..", "src", "site", "resources");
    private static final List<String> FOLDERS = List.of("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin");

    private Tool() {
    }

    /** Finds a program, or skips the test. */
    public static String find(String program) {
        for (String folder : FOLDERS) {
            Path path = Path.of(folder, program);
            if (Files.isExecutable(path)) {
                return path.toString();
            }
        }
        assumeTrue(false, program + " is not installed; src/interop/install-cluster.sh installs it where it may");
        throw new AssertionError("assumeTrue(false) returned");
    }

    /** Finds the directory of the nginx modules, or skips the test. */
    public static String findNginxModules() {
        Path folder = Path.of("/usr/lib/nginx/modules");
        assumeTrue(Files.exists(folder.resolve("ngx_stream_module.so")),
            "libnginx-mod-stream is not installed; src/interop/install-cluster.sh installs it where it may");
        return folder.toString();
    }

    /** Writes a copy of a file in {@code src/site/resources/cluster} in which the words between @ are replaced with values. */
    public static Path settings(String file, Path directory, Map<String, String> words) {
        try {
            String text = Files.readString(SITE.resolve("cluster").resolve(file));
            for (Map.Entry<String, String> word : words.entrySet()) {
                String marked = '@' + word.getKey() + '@';
                if (!text.contains(marked)) {
                    throw new AssertionError(file + " has no " + marked);
                }
                text = text.replace(marked, word.getValue());
            }
            if (text.matches("(?s).*@[A-Z0-9]+@.*")) {
                throw new AssertionError(file + " has words that are not filled in: " + text);
            }
            return Files.writeString(directory.resolve(file), text);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
