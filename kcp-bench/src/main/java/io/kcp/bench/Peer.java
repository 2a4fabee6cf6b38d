package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
     * Server options that make idle sessions expire quickly in the churn workload. KCP clients do not notify the server when they close a
     * session.
     */
    private static final List<String> CHURN_OPTIONS = List.of("--idle-timeout-ms", "2000");

    /** Returns the load program of this library, to be run with the given class path. */
    static Peer ours(List<String> jvmOptions, String classPath) {
        return new Peer(Scenarios.OURS, null, java(jvmOptions), List.of("-cp", classPath, KcpLoad.class.getName()), List.of(), "", true);
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
        return List.of(kcpGo("load", directory), jar(Scenarios.KCP_NETTY, directory.resolve("kcp-netty-peer.jar"), List.of()),
            jar(Scenarios.JAVA_KCP, directory.resolve("java-kcp-peer.jar"), List.of()), plain(Scenarios.TCP, directory, List.of()),
            plain(Scenarios.QUIC, directory, List.of()), plain(Scenarios.UDP, directory, List.of()));
    }

    /** Returns the names of this library and of all other libraries and protocols. */
    static List<String> names() {
        return Stream.concat(Stream.of(Scenarios.OURS), others(Path.of("")).stream().map(Peer::name)).toList();
    }

    /** Returns the kcp-go program with one of its actions, for example {@code load}. */
    static Peer kcpGo(String action, Path directory) {
        Path program = directory.resolve("kcppeer-5.6.72");
        return new Peer(Scenarios.KCP_GO, program, List.of(program.toString()), List.of(action), List.of(), "src/interop/install.sh", true);
    }

    /** Returns the program for a protocol without KCP, for example {@code tcp}. */
    static Peer plain(String protocol, Path directory, List<String> jvmOptions) {
        return jar(protocol, directory.resolve("plain-peer.jar"), jvmOptions, "--protocol", protocol);
    }

    private static Peer jar(String name, Path jar, List<String> jvmOptions, String... options) {
        return new Peer(name, jar, java(jvmOptions), List.of("-jar", jar.toString()), List.of(options), "src/interop/install.sh --bench",
            false);
    }

    private static List<String> java(List<String> jvmOptions) {
        return Stream.concat(Stream.of(ChildProcess.java()), jvmOptions.stream()).toList();
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

    /**
     * Starts the server or the client. All programs support the {@code commonOptions}.
     *
     * @param prefix command that runs the program on certain processors, or empty
     */
    ChildProcess start(String end, List<String> prefix, Scenario scenario, Contender contender, List<String> commonOptions) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(command(end, contender.jvmOptions(), commonOptions, scenario.layers()));
        if (isOurs()) {
            command.addAll(List.of("--mode", scenario.messages() ? "MESSAGE" : "STREAM"));
            if (scenario.work() == LoadClient.Work.CHURN && end.equals("server")) {
                command.addAll(CHURN_OPTIONS);
            } else if (scenario.work() == LoadClient.Work.IDLE) {
                command.addAll(List.of("--keepalive-ms", "0", "--idle-timeout-ms", "0"));
            }
        }
        command.addAll(contender.options());
        command.addAll(end.equals("client") ? contender.clientOptions() : isOurs() ? contender.serverOptions() : List.of());
        return ChildProcess.start(name + ' ' + end, command);
    }

    /** Returns the command line of the server or the client, to which further options can be added. */
    List<String> command(String end, List<String> jvmOptions, List<String> commonOptions, WireLayers layers) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(jvmOptions);
        command.addAll(program);
        command.add(end);
        command.addAll(commonOptions);
        command.addAll(options);
        if (isOurs()) {
            command.add("--quiet");
        }
        if (hasLayers && !layers.isNone()) {
            command.addAll(isOurs() ? layers.loadOptions() : layers.kcpGoOptions());
        }
        return command;
    }
}
