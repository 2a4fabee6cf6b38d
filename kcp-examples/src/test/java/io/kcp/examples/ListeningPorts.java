package io.kcp.examples;

import static org.awaitility.Awaitility.await;

import io.kcp.test.ChildProcess;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

/** Reads from {@code /proc/net} which ports are bound, without connecting to them. */
final class ListeningPorts {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TCP_LISTEN = "0A";
    private static final int FIRST_DYNAMIC_PORT = 20_000;
    private static final int DYNAMIC_PORTS = 10_000;
    private static final int ATTEMPTS = 100;

    /** Starts at a port that depends on the process, so that simultaneous test runs choose different ports. */
    private static int next = (int) (ProcessHandle.current().pid() * 16 % DYNAMIC_PORTS);

    /** Protocol of a port. */
    enum Protocol {
        TCP, UDP
    }

    private ListeningPorts() {
    }

    /** Waits until a port is bound or, if {@code bound} is false, until it is unbound. */
    static void awaitPort(Protocol protocol, int port, boolean bound, ChildProcess process) {
        await().alias(protocol + " port " + port + (bound ? " is bound by " : " is released by ") + process).atMost(LIMIT)
            .pollDelay(Duration.ZERO).pollInterval(POLL_INTERVAL).until(() -> isBound(protocol, port) == bound);
    }

    private static boolean isBound(Protocol protocol, int port) throws IOException {
        String file = "/proc/net/" + protocol.name().toLowerCase(Locale.ROOT);
        return isListed(Path.of(file), protocol, port) || isListed(Path.of(file + '6'), protocol, port);
    }

    private static boolean isListed(Path file, Protocol protocol, int port) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        String suffix = String.format(":%04X", port);
        // The columns of a line are the index, the local address, the remote address and the state.
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.trim().split(" +"))
                .anyMatch(columns -> columns[1].endsWith(suffix) && (protocol == Protocol.UDP || columns[3].equals(TCP_LISTEN)));
        }
    }

    /** Returns the first of several consecutive unused UDP ports. Repeated calls return different ports. */
    static synchronized int findUnused(int ports) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = FIRST_DYNAMIC_PORT + next;
            next = (next + ports) % DYNAMIC_PORTS;
            if (Stream.iterate(first, port -> port + 1).limit(ports).allMatch(ListeningPorts::isUnused)) {
                return first;
            }
        }
        throw new AssertionError("no " + ports + " consecutive unused ports");
    }

    private static boolean isUnused(int port) {
        try (DatagramSocket socket = new DatagramSocket(null)) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (SocketException inUse) {
            return false;
        }
    }
}
