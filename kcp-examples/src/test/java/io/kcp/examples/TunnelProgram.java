package io.kcp.examples;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Tunnel programs that accept the options of kcptun. */
enum TunnelProgram {

    /** {@code TunnelServer} and {@code TunnelClient} of kcp-tools. */
    OURS("this library"),
    /** Debian's kcptun 20210922, which has neither AEAD ciphers nor port ranges. */
    DEBIAN("kcptun 20210922"),
    /** The program in {@code src/interop/kcptun}, which uses the libraries of a current kcptun. */
    CURRENT("kcptunpeer");

    private static final Path CURRENT_PROGRAM = Path.of("..", "src", "interop", "build", "kcptunpeer");

    private final String title;

    TunnelProgram(String title) {
        this.title = title;
    }

    /** Returns {@code true} if the program is installed. */
    boolean isInstalled() {
        return switch (this) {
            case OURS -> true;
            case DEBIAN -> isOnPath("kcptun-server");
            case CURRENT -> Files.isExecutable(CURRENT_PROGRAM);
        };
    }

    /** Returns {@code true} if the shell finds a command. */
    static boolean isOnPath(String command) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /** Returns the command of the server or the client, to which options are appended. */
    List<String> command(boolean server) {
        return switch (this) {
            // Most of the CPU time of such a short process would be spent by the optimizing compiler.
            case OURS -> List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"), "io.kcp.tools.tunnel.Tunnel" + (server ? "Server" : "Client"));
            case DEBIAN -> List.of(server ? "kcptun-server" : "kcptun-client");
            case CURRENT -> List.of(CURRENT_PROGRAM.toString(), server ? "server" : "client");
        };
    }

    boolean supportsPortRanges() {
        return this != DEBIAN;
    }

    @Override
    public String toString() {
        return title;
    }
}
