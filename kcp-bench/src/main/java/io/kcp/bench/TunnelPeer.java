package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tunnel program that accepts the options of kcptun.
 *
 * @param name   the name in the results
 * @param server the command of the server, without options
 * @param client the command of the client, without options
 * @param aead   whether the program has the cipher {@code aes-128-gcm}
 */
record TunnelPeer(String name, List<String> server, List<String> client, boolean aead) {

    static final String OURS = "ours";

    /** Returns this library's tunnel and the other programs that are installed. */
    static List<TunnelPeer> installed(Path tunnelJar, Path interop, List<String> jvmOptions) {
        List<String> java = new ArrayList<>(List.of(ChildProcess.java()));
        java.addAll(jvmOptions);
        java.addAll(List.of("-jar", tunnelJar.toString()));
        String current = interop.resolve("kcptunpeer").toString();
        return Stream.of(new TunnelPeer(OURS, append(java, "server"), append(java, "client"), true),
            new TunnelPeer("kcptunpeer", List.of(current, "server"), List.of(current, "client"), true),
            new TunnelPeer("kcptun", List.of("/usr/bin/kcptun-server"), List.of("/usr/bin/kcptun-client"), false))
            .filter(peer -> peer.name.equals(OURS) ? Files.isReadable(tunnelJar) : Files.isExecutable(Path.of(peer.server.get(0))))
            .toList();
    }

    private static List<String> append(List<String> command, String argument) {
        return Stream.concat(command.stream(), Stream.of(argument)).toList();
    }

    boolean supports(TunnelSettings settings) {
        return aead || !settings.isAead();
    }
}
