package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command-line options that {@link SideBySide} and {@link Attack} have in common. */
final class ComparisonOptions {

    @Option(names = "--out", description = "JSON file for the results; rewritten after each measurement")
    @Nullable Path out;

    @Option(names = "--list", description = "list the available measurements and exit")
    boolean list;

    @Option(names = "--interop", description = "directory of the other peers' programs (${DEFAULT-VALUE})")
    Path interop = Path.of("src", "interop", "build");

    @Option(names = "--jvm-option", description = "JVM option for the processes of this library; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    /** Returns the installed peers that match a condition, and prints a line for each matching peer whose program is missing. */
    List<Peer> installedPeers(Predicate<Peer> wanted) {
        List<Peer> installed = new ArrayList<>();
        for (Peer peer : Peer.others(interop)) {
            if (wanted.test(peer)) {
                if (peer.isMissing()) {
                    System.err.println(
                        "skipping " + peer.name() + ": " + peer.file() + " is missing; build it with " + peer.buildCommand());
                } else {
                    installed.add(peer);
                }
            }
        }
        return installed;
    }
}
