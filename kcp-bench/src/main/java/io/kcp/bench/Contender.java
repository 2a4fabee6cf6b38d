package io.kcp.bench;

import java.util.List;

/**
 * Who takes part in a scenario.
 *
 * @param name          for people, unique in the scenario
 * @param peer          name of a {@link Peer}
 * @param options       of both ends, in that peer's own words
 * @param serverOptions of the server alone, if it is ours
 * @param clientOptions of the client alone
 * @param jvmOptions    of both ends, if they are ours
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
