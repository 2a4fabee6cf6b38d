package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Command-line options that {@link SideBySide}, {@link WarmUp}, {@link Attack} and {@link Overload} have in common. */
final class ComparisonOptions {

    @Option(names = "--out", description = "JSON file for the results; rewritten after each measurement")
    @Nullable Path out;

    @Option(names = "--list", description = "list the available measurements and exit")
    boolean list;

    @Option(names = "--interop", description = "directory of the other peers' programs (${DEFAULT-VALUE})")
    Path interop = Path.of("src", "interop", "build");

    @Option(names = "--jvm-option", description = "JVM option for the processes of this library; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    /**
     * Checks the names that were passed to an option. An unknown name is a usage error of the command.
     *
     * @param names the names, or null if the option was not used
     */
    static void requireKnown(String option, @Nullable Collection<String> names, Collection<String> known, CommandLine command) {
        if (names == null) {
            return;
        }
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(command, option + ": " + name + " (expected: " + String.join(", ", known) + ')');
            }
        }
    }

    /**
     * Returns the peers whose names match a condition by name, starting with this library. Prints a line for each matching peer whose
     * program is missing.
     *
     * @param defaultJvmOptions JVM options of this library, which {@code --jvm-option} can override
     */
    Map<String, Peer> peers(List<String> defaultJvmOptions, Predicate<String> wanted) {
        Map<String, Peer> installed = new LinkedHashMap<>();
        if (wanted.test(Scenarios.OURS)) {
            installed.put(Scenarios.OURS, Peer.ours(Stream.concat(defaultJvmOptions.stream(), jvmOptions.stream()).toList()));
        }
        for (Peer peer : Peer.others(interop)) {
            if (wanted.test(peer.name())) {
                if (peer.isMissing()) {
                    System.err.println(
                        "skipping " + peer.name() + ": " + peer.file() + " is missing; build it with " + peer.buildCommand());
                } else {
                    installed.put(peer.name(), peer);
                }
            }
        }
        return installed;
    }
}
