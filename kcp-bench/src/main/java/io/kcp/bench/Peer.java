package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Program that runs the server and the client of a scenario. It is either {@link KcpLoad} or a program of {@code src/interop} with the
 * same options, commands and events. The command line consists of the launcher, JVM options of the contender, the program, {@code server}
 * or {@code client}, and options.
 *
 * @param name         the protocol or library
 * @param file         the file that must exist, or null for {@link KcpLoad}
 * @param launcher     an executable and its options
 * @param program      arguments of the launcher that select the program
 * @param options      options of server and client
 * @param buildCommand the command that builds {@code file}
 * @param hasLayers    whether the program supports the cipher and FEC of {@link WireLayers}
 */
record Peer(String name, @Nullable Path file, List<String> launcher, List<String> program, List<String> options, String buildCommand,
    boolean hasLayers) {

    /**
     * Maximum number of sessions for other libraries, which need one file descriptor per session. The number stays below the usual limit of
     * 20,000 files.
     */
    private static final int MAX_SESSIONS_OF_OTHERS = 15_000;
    /**
     * Server options with which idle sessions expire quickly in the churn workload, because KCP clients close sessions without notifying
     * the server.
     */
    private static final List<String> CHURN_OPTIONS = List.of("--idle-timeout-ms", "2000");

    /** Returns the load program of this library, to be run with the given class path. */
    static Peer ours(List<String> jvmOptions, String classPath) {
        List<String> launcher = new ArrayList<>(List.of(ChildProcess.java()));
        launcher.addAll(jvmOptions);
        return new Peer(Scenarios.OURS, null, launcher, List.of("-cp", classPath, KcpLoad.class.getName()), List.of(), "", true);
    }

    /** Returns the load program of this library, to be run with the class path of this process. */
    static Peer ours(List<String> jvmOptions) {
        return ours(jvmOptions, System.getProperty("java.class.path"));
    }

    /**
     * Returns the programs of all other libraries and protocols in the directory to which {@code src/interop/install.sh --bench} installs
     * them.
     */
    static List<Peer> others(Path directory) {
        Path kcpGo = directory.resolve("kcppeer-5.6.72");
        return List.of(
            new Peer(Scenarios.KCP_GO, kcpGo, List.of(kcpGo.toString()), List.of("load"), List.of(), "src/interop/install.sh", true),
            jar(Scenarios.KCP_NETTY, directory.resolve("kcp-netty-peer.jar")),
            jar(Scenarios.JAVA_KCP, directory.resolve("java-kcp-peer.jar")),
            jar(Scenarios.TCP, directory.resolve("plain-peer.jar"), "--protocol", "tcp"),
            jar(Scenarios.QUIC, directory.resolve("plain-peer.jar"), "--protocol", "quic"),
            jar(Scenarios.UDP, directory.resolve("plain-peer.jar"), "--protocol", "udp"));
    }

    private static Peer jar(String name, Path jar, String... options) {
        return new Peer(name, jar, List.of(ChildProcess.java()), List.of("-jar", jar.toString()), List.of(options),
            "src/interop/install.sh --bench", false);
    }

    private boolean isOurs() {
        return file == null;
    }

    boolean isMissing() {
        return file != null && !Files.isReadable(file);
    }

    boolean supports(Scenario scenario) {
        return hasLayers || scenario.layers().isNone();
    }

    /** Returns {@code true} if the program supports the {@code stats} command. */
    boolean reportsStats() {
        return isOurs();
    }

    int maxSessions() {
        return isOurs() ? Integer.MAX_VALUE : MAX_SESSIONS_OF_OTHERS;
    }

    /** Starts the server or the client. All programs support the {@code commonOptions}. */
    ChildProcess start(String end, Scenario scenario, Contender contender, List<String> commonOptions) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(contender.jvmOptions());
        command.addAll(program);
        command.add(end);
        command.addAll(commonOptions);
        command.addAll(options);
        if (isOurs()) {
            command.addAll(List.of("--quiet", "--mode", scenario.messages() ? "MESSAGE" : "STREAM"));
            if (scenario.work() == LoadClient.Work.CHURN && end.equals("server")) {
                command.addAll(CHURN_OPTIONS);
            } else if (scenario.work() == LoadClient.Work.IDLE) {
                command.addAll(List.of("--keepalive-ms", "0", "--idle-timeout-ms", "0"));
            }
        }
        if (hasLayers && !scenario.layers().isNone()) {
            command.addAll(isOurs() ? scenario.layers().loadOptions() : scenario.layers().kcpGoOptions());
        }
        command.addAll(contender.options());
        command.addAll(end.equals("client") ? contender.clientOptions() : isOurs() ? contender.serverOptions() : List.of());
        return ChildProcess.start(name + ' ' + end, command);
    }
}
