package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Program that runs the server and the client of one library or protocol. All programs have the same options, commands and events, which
 * {@code src/interop/go/README.md} describes. The command line consists of the launcher, JVM options, the program, {@code server} or
 * {@code client}, and options.
 *
 * @param name     the library or protocol
 * @param kind     what options the program has
 * @param file     the file that must exist, or null if it is on the class path of this process
 * @param launcher an executable and its options
 * @param program  arguments of the launcher that select the program
 * @param options  options of server and client
 */
record Peer(String name, Kind kind, @Nullable Path file, List<String> launcher, List<String> program, List<String> options) {

    static final String OURS = "ours";
    static final String BEFORE = "before";
    static final String KCP_GO = "kcp-go";
    static final String KCP_NETTY = "kcp-netty";
    static final String JAVA_KCP = "java-kcp";
    static final String TCP = "tcp";
    static final String QUIC = "quic";
    static final String UDP = "udp";

    static final String SERVER = "server";
    static final String CLIENT = "client";

    /** Load program of this library. It is a name, because an earlier build may have this class only in its own jar. */
    static final String LOAD = "io.kcp.bench.KcpLoad";
    /**
     * Maximum number of sessions for other libraries, which need one file descriptor per session. The number stays below the usual limit of
     * 20,000 files.
     */
    private static final int MAX_SESSIONS_OF_OTHERS = 15_000;

    /** Kinds of programs, which differ in their options. */
    enum Kind { OURS, KCP_GO, JVM }

    /** Returns the load program of this library with a class path. */
    static Peer ours(String name, String classPath, RunOptions options) {
        return ours(name, classPath, LOAD, options);
    }

    /** Returns a program of this library that accepts the options of the load program. */
    static Peer ours(String name, String classPath, String mainClass, RunOptions options) {
        return new Peer(name, Kind.OURS, null, java(options.jvmOptions), List.of("-cp", classPath, mainClass),
            List.of("--quiet", "--threads", Integer.toString(options.eventLoops)));
    }

    /** Returns the class path of this process. */
    static String currentClassPath() {
        return System.getProperty("java.class.path");
    }

    /** Returns a program of the directory to which {@code src/interop/install.sh --bench} installs the programs. */
    static Peer other(String name, RunOptions options) {
        Path directory = options.interop.toAbsolutePath();
        Path file = directory.resolve(switch (name) {
            case KCP_GO -> "kcppeer-5.6.72";
            case KCP_NETTY -> "kcp-netty-peer.jar";
            case JAVA_KCP -> "java-kcp-peer.jar";
            default -> "plain-peer.jar";
        });
        if (name.equals(KCP_GO)) {
            return new Peer(name, Kind.KCP_GO, file, List.of(file.toString()), List.of("load"), List.of());
        }
        List<String> arguments = new ArrayList<>(List.of("--quiet", "--threads", Integer.toString(options.eventLoops)));
        if (!name.equals(KCP_NETTY) && !name.equals(JAVA_KCP)) {
            arguments.addAll(List.of("--protocol", name));
        }
        return new Peer(name, Kind.JVM, file, java(List.of()), List.of("-jar", file.toString()), arguments);
    }

    private static List<String> java(List<String> jvmOptions) {
        return Stream.concat(Stream.of(ChildProcess.java()), jvmOptions.stream()).toList();
    }

    /** Returns {@code true} for this library, of this build or of an earlier one. */
    boolean isOurs() {
        return kind == Kind.OURS;
    }

    boolean isMissing() {
        return file != null && !Files.isReadable(file);
    }

    String buildCommand() {
        return "src/interop/install.sh" + (kind == Kind.KCP_GO ? "" : " --bench");
    }

    /** Returns {@code true} if the program supports a cipher and FEC. */
    boolean hasLayers() {
        return kind != Kind.JVM;
    }

    int maxSessions() {
        return isOurs() ? Integer.MAX_VALUE : MAX_SESSIONS_OF_OTHERS;
    }

    /** Returns a copy of the peer with another action of the kcp-go program. */
    Peer withAction(String action) {
        return kind == Kind.KCP_GO ? new Peer(name, kind, file, launcher, List.of(action), options) : this;
    }

    /** Returns a copy of the peer with further JVM options. Programs in Go ignore them. */
    Peer withJvm(List<String> jvmOptions) {
        return kind == Kind.KCP_GO ? this : new Peer(name, kind, file, Stream.concat(Stream.of(launcher.get(0)),
            Stream.concat(jvmOptions.stream(), launcher.stream().skip(1))).toList(), program, options);
    }

    /** Returns the command line of the server or the client, to which further options can be added. */
    List<String> command(String end, Contender contender, Layers layers, List<String> commonOptions) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(contender.jvmOptions());
        command.addAll(program);
        command.add(end);
        command.addAll(commonOptions);
        command.addAll(options);
        command.addAll(isOurs() ? layers.ownOptions() : layers.kcpGoOptions());
        command.addAll(contender.optionsOf(end));
        return command;
    }
}
