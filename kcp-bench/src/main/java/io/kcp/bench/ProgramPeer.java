package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A peer that is a program of {@code src/interop}. */
final class ProgramPeer implements Peer {

    /** Each has a socket of its own, and a process may have 20,000 files open here, ports are 28,232. */
    private static final int MOST_SESSIONS = 15_000;

    private final String name;
    private final Path program;
    private final List<String> command;
    private final List<String> options;
    private final String howToBuild;
    private final boolean hasLayers;

    /**
     * Starts with {@code command}, then {@code server} or {@code client}; {@code options} follow.
     */
    ProgramPeer(String name, Path program, List<String> command, List<String> options, String howToBuild, boolean hasLayers) {
        this.name = name;
        this.program = program;
        this.command = command;
        this.options = options;
        this.howToBuild = howToBuild;
        this.hasLayers = hasLayers;
    }

    static ProgramPeer kcpGo(Path directory) {
        Path program = directory.resolve("kcppeer-5.6.72");
        return new ProgramPeer(Scenarios.KCP_GO, program, List.of(program.toString(), "load"), List.of(), "src/interop/install.sh",
            true);
    }

    /** One on the JVM, in a jar of its own. */
    static ProgramPeer jar(String name, Path directory, String jar, String... options) {
        Path program = directory.resolve(jar);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProgramPeer(name, program, List.of(java, "-jar", program.toString()), List.of(options), "src/interop/install.sh --bench",
            false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable String missing() {
        return Files.isReadable(program) ? null : program + " is missing; " + howToBuild + " builds it";
    }

    @Override
    public @Nullable String unable(Scenario scenario) {
        return scenario.layers().isNone() || hasLayers ? null : "no cipher and no FEC of ours";
    }

    @Override
    public boolean tellsStats() {
        return false;
    }

    @Override
    public int mostSessions() {
        return MOST_SESSIONS;
    }

    @Override
    public ChildProcess startServer(Scenario scenario, Contender contender, List<String> common) {
        return start("server", scenario, contender, common, List.of());
    }

    @Override
    public ChildProcess startClient(Scenario scenario, Contender contender, List<String> common) {
        return start("client", scenario, contender, common, contender.clientOptions());
    }

    private ChildProcess start(String end, Scenario scenario, Contender contender, List<String> common, List<String> ownOptions) {
        List<String> all = new ArrayList<>(command);
        all.add(end);
        all.addAll(common);
        all.addAll(options);
        if (hasLayers) {
            all.addAll(scenario.layers().kcpGoOptions());
        }
        all.addAll(contender.options());
        all.addAll(ownOptions);
        return ChildProcess.start(name + ' ' + end, all);
    }
}
