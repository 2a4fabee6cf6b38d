package io.kcp.bench.experiment;

import io.kcp.bench.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Tunnel program that accepts the options of kcptun.
 *
 * @param file   the file that must exist
 * @param server the command of the server, without options
 * @param client the command of the client, without options
 * @param aead   whether the program has the cipher {@code aes-128-gcm}
 */
record TunnelPeer(String name, Path file, List<String> server, List<String> client, boolean aead) {

    /** Returns all tunnels. With {@code --before}, the tunnel of the earlier build is one of them. */
    static List<TunnelPeer> all(Path tunnelJar, RunOptions options) throws IOException, InterruptedException {
        List<TunnelPeer> peers = new ArrayList<>(List.of(ours(Peer.OURS, tunnelJar, options)));
        if (options.before != null) {
            peers.add(ours(Peer.BEFORE, EarlierBuild.resolve(options.before, EarlierBuild.Program.TUNNEL), options));
        }
        Path current = options.interop.resolve("kcptunpeer").toAbsolutePath();
        peers.add(new TunnelPeer("kcptunpeer", current, List.of(current.toString(), "server"), List.of(current.toString(), "client"),
            true));
        peers.add(new TunnelPeer("kcptun", Path.of("/usr/bin/kcptun-server"), List.of("/usr/bin/kcptun-server"),
            List.of("/usr/bin/kcptun-client"), false));
        return peers;
    }

    private static TunnelPeer ours(String name, Path jar, RunOptions options) throws IOException {
        // The jar of earlier commits contains only the tunnel.
        Stream<String> command = hasCommands(jar) ? Stream.of("-jar", jar.toString(), "tunnel") : Stream.of("-jar", jar.toString());
        List<String> java = Stream.of(Stream.of(ChildProcess.java()), options.jvmOptions.stream(), command).flatMap(each -> each).toList();
        return new TunnelPeer(name, jar, append(java, "server"), append(java, "client"), true);
    }

    private static boolean hasCommands(Path jar) throws IOException {
        if (!Files.isReadable(jar)) {
            return true;
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry("io/kcp/tools/KcpCommand.class") != null;
        }
    }

    private static List<String> append(List<String> command, String argument) {
        return Stream.concat(command.stream(), Stream.of(argument)).toList();
    }

    boolean isInstalled() {
        return Files.isReadable(file);
    }

    boolean supports(TunnelSettings settings) {
        return aead || !settings.isAead();
    }
}
