package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Selects the contenders that the options of a command name and whose programs are installed. */
final class Peers {

    private static final String NONE = "none";

    private final RunOptions options;
    private final Map<String, Peer> programs = new HashMap<>();
    private final Set<String> reported = new HashSet<>();

    Peers(RunOptions options) {
        this.options = options;
        programs.put(Peer.OURS, Peer.ours(Peer.OURS, Peer.currentClassPath(), options));
    }

    /** Checks the names of {@code --peers}. An unknown name is a usage error of the command. */
    static void check(RunOptions options, Collection<Contender> all, CommandLine command) {
        if (options.peers == null) {
            return;
        }
        for (String name : options.peers) {
            if (!name.equals(NONE) && all.stream().noneMatch(contender -> matches(contender, name))) {
                throw new ParameterException(command, "--peers: " + name + " (expected: " + NONE + ", or some of "
                    + String.join(", ", all.stream().map(Contender::name).distinct().toList()) + ')');
            }
        }
    }

    private static boolean matches(Contender contender, String name) {
        return contender.name().equals(name) || contender.peer().equals(name);
    }

    /**
     * Returns the contenders that are selected and installed. Without a selected setting of this library, all of them remain. With
     * {@code --before}, each contender of this library is followed by its counterpart of the earlier build.
     */
    List<Contender> select(Collection<Contender> contenders) throws IOException, InterruptedException {
        List<Contender> selected = new ArrayList<>();
        for (Contender contender : contenders) {
            if (isWanted(contender) && isInstalled(contender.peer())) {
                selected.add(contender);
                if (contender.peer().equals(Peer.OURS) && options.before != null) {
                    selected.add(before(contender));
                }
            }
        }
        return selected;
    }

    private boolean isWanted(Contender contender) {
        List<String> names = options.peers;
        if (names == null) {
            return true;
        }
        boolean ownSettings = names.stream().anyMatch(name -> name.startsWith(Peer.OURS + ' '));
        return names.stream().anyMatch(name -> matches(contender, name)) || contender.peer().equals(Peer.OURS) && !ownSettings;
    }

    private boolean isInstalled(String name) {
        Peer peer = programs.computeIfAbsent(name, other -> Peer.other(other, options));
        if (peer.isMissing() && reported.add(name)) {
            System.err.println("skipping " + name + ": " + peer.file() + " is missing; build it with " + peer.buildCommand());
        }
        return !peer.isMissing();
    }

    private Contender before(Contender contender) throws IOException, InterruptedException {
        if (!programs.containsKey(Peer.BEFORE)) {
            Path jar = EarlierBuild.resolve(String.valueOf(options.before), EarlierBuild.Program.LOAD);
            programs.put(Peer.BEFORE, Peer.ours(Peer.BEFORE, jar.toString(), options));
        }
        return contender.withPeer(Peer.BEFORE);
    }

    /** Returns the program of a selected contender. */
    Peer program(Contender contender) {
        Peer peer = programs.get(contender.peer());
        if (peer == null) {
            throw new IllegalArgumentException("unknown peer: " + contender.peer());
        }
        return peer;
    }
}
