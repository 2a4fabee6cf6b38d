package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A path over a router of the Linux kernel between processes in different network namespaces. Each test is skipped with the reason if the
 * kernel lacks what it needs.
 */
@Tag("interop")
@EnabledOnOs(value = OS.LINUX, disabledReason = "network namespaces require Linux")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class KernelPathTests {

    static final long BYTES = Long.getLong("kernel.path.bytes", 10_000_000);
    static final String PORT = "9000";
    static final long TIMEOUT_SECONDS = 200;
    static final List<String> AEAD = List.of("--crypt", "aes-128-gcm", "--key", "kernel path");

    /** The {@code session} events of both sides of an exchange. */
    record Exchange(String client, String server) {

        /** Checks that each side received what the other side sent. */
        Exchange isIntact() {
            assertThat(PeerProcess.field(server, "received_sha256")).isEqualTo(PeerProcess.field(client, "sent_sha256"));
            assertThat(PeerProcess.field(client, "received_sha256")).isEqualTo(PeerProcess.field(server, "sent_sha256"));
            return this;
        }
    }

    /** Changes a network, and fails if the kernel lacks a feature. */
    @FunctionalInterface
    interface Change {
        void apply(KernelNetwork network) throws IOException, InterruptedException;
    }

    @BeforeAll
    static void skipWithoutNamespaces() throws InterruptedException {
        String obstacle = KernelNetwork.obstacle();
        if (obstacle != null) {
            skip(obstacle);
        }
    }

    /** Skips the test, and prints the reason, because Maven does not show the reason of a skipped test on the console. */
    private static void skip(String reason) {
        System.out.println("  skipped: " + reason);
        abort(reason);
    }

    /** Creates a network. Skips the test if the kernel lacks what the change needs. */
    static KernelNetwork network(boolean offload, Change change) throws IOException, InterruptedException {
        KernelNetwork network = new KernelNetwork(offload);
        String obstacle = obstacle(network, change);
        if (obstacle != null) {
            network.close();
            skip(obstacle);
        }
        return network;
    }

    private static @Nullable String obstacle(KernelNetwork network, Change change) throws InterruptedException {
        try {
            change.apply(network);
            return null;
        } catch (IOException unsupported) {
            assertThat(unsupported).hasMessageNotContaining("syntax error");
            return "this kernel refuses " + unsupported.getMessage();
        }
    }

    /** Sends the same number of bytes in both directions at the same time. */
    static Exchange exchange(KernelNetwork network, String address, long bytes, List<String> options) throws Exception {
        try (PeerProcess server = server(network, address, bytes, bytes, options);
            PeerProcess client = client(network, address, bytes, bytes, options)) {
            return results(client, server);
        }
    }

    static Exchange results(PeerProcess client, PeerProcess server) throws InterruptedException {
        Exchange exchange = new Exchange(client.await("session", TIMEOUT_SECONDS), server.await("session", TIMEOUT_SECONDS));
        System.out.println("  client " + exchange.client + "\n  server " + exchange.server);
        return exchange;
    }

    static PeerProcess server(KernelNetwork network, String address, long send, long receive, List<String> options)
        throws IOException, InterruptedException {
        PeerProcess server = PeerProcess.startJava(network.onServer(), KernelPathPeer.class, options(options, "--listen", address, "--port",
            PORT, "--send", Long.toString(send), "--receive", Long.toString(receive)));
        server.await("ready", TIMEOUT_SECONDS);
        return server;
    }

    static PeerProcess client(KernelNetwork network, String address, long send, long receive, List<String> options)
        throws IOException {
        return PeerProcess.startJava(network.onClient(), KernelPathPeer.class, options(options, "--connect", address, "--port", PORT,
            "--send", Long.toString(send), "--receive", Long.toString(receive)));
    }

    static List<String> options(List<String> first, String... more) {
        List<String> options = new ArrayList<>(first);
        options.addAll(List.of(more));
        return options;
    }

    static long number(String event, String field) {
        return Long.parseLong(PeerProcess.field(event, field));
    }
}
