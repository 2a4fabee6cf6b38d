package io.kcp.bench;

import java.util.List;

/**
 * Participant in a scenario: a program that is started with certain options. Only this library's program supports server options, and only
 * programs on the JVM support JVM options.
 *
 * @param name    name in results, unique within the scenario
 * @param peer    name of the {@link Peer}
 * @param options options of server and client, in the syntax of the program
 */
record Contender(String name, String peer, List<String> options, List<String> serverOptions, List<String> clientOptions,
    List<String> jvmOptions) {

    static Contender of(String peer) {
        return new Contender(peer, peer, List.of(), List.of(), List.of(), List.of());
    }

    static Contender ours(String name, String... options) {
        return new Contender(name, Scenarios.OURS, List.of(options), List.of(), List.of(), List.of());
    }

    Contender withServer(String... serverOptions) {
        return new Contender(name, peer, options, List.of(serverOptions), clientOptions, jvmOptions);
    }

    Contender withClient(String... clientOptions) {
        return new Contender(name, peer, options, serverOptions, List.of(clientOptions), jvmOptions);
    }

    Contender withJvm(String... jvmOptions) {
        return new Contender(name, peer, options, serverOptions, clientOptions, List.of(jvmOptions));
    }
}
