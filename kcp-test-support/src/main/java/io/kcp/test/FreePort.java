package io.kcp.test;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free ports of the loopback address for programs that cannot report which port they bound. */
public final class FreePort {

    /**
     * These ports are below the range from which Linux assigns ports to clients, so no client occupies them before a start or between two
     * starts.
     */
    private static final int FIRST = 20_000;
    private static final int END = 32_768;
    private static final int ATTEMPTS = 100;

    private FreePort() {
    }

    /**
     * Returns a port that is free for TCP and UDP.
     *
     * @return the port
     * @throws IOException if no port was found
     */
    public static int find() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket tcp = new ServerSocket(port, 1, loopback);
                DatagramSocket udp = new DatagramSocket(tcp.getLocalPort(), loopback)) {
                return udp.getLocalPort();
            } catch (IOException taken) {
                // Ignores the failure, because the next attempt uses a different port.
            }
        }
        throw new IOException("no free port in " + ATTEMPTS + " attempts");
    }
}
