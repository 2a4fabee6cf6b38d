package io.kcp.bench.experiment;

import java.util.List;
import java.util.stream.Stream;

/**
 * A peer with certain settings. Only programs on the JVM support JVM options.
 *
 * @param peer     name of the {@link Peer}
 * @param settings what distinguishes this contender from others of the same peer, or empty
 * @param options  options of server and client, in the syntax of the program
 */
record Contender(String peer, String settings, List<String> options, List<String> serverOptions, List<String> clientOptions,
    List<String> jvmOptions) {

    static Contender of(String peer) {
        return of(peer, "");
    }

    static Contender of(String peer, String settings, String... options) {
        return new Contender(peer, settings, List.of(options), List.of(), List.of(), List.of());
    }

    static Contender ours(String settings, String... options) {
        return of(Peer.OURS, settings, options);
    }

    static String name(String peer, String settings) {
        return settings.isEmpty() ? peer : peer + ' ' + settings;
    }

    /** Returns the name in options and tables, for example {@code kcp-go fec 2:1}. */
    String name() {
        return name(peer, settings);
    }

    Contender withPeer(String other) {
        return new Contender(other, settings, options, serverOptions, clientOptions, jvmOptions);
    }

    Contender withServer(String... more) {
        return new Contender(peer, settings, options, List.of(more), clientOptions, jvmOptions);
    }

    Contender withClient(String... more) {
        return new Contender(peer, settings, options, serverOptions, List.of(more), jvmOptions);
    }

    Contender withJvm(String... more) {
        return new Contender(peer, settings, options, serverOptions, clientOptions, List.of(more));
    }

    /** Returns the options of the server or the client. */
    List<String> optionsOf(String end) {
        return Stream.concat(options.stream(), (end.equals(Peer.SERVER) ? serverOptions : clientOptions).stream()).toList();
    }
}
