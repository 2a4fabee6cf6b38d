package io.kcp.examples.arena;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds ports of the loopback that nobody has, for programs that cannot say which one they took. */
public final class FreePort {

    private static final int ATTEMPTS = 100;

    private FreePort() {
    }

    /** Free for TCP and for UDP. */
    public static int find() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (int i = 0; i < ATTEMPTS; i++) {
            try (ServerSocket tcp = new ServerSocket(0, 1, loopback);
                DatagramSocket udp = new DatagramSocket(tcp.getLocalPort(), loopback)) {
                return udp.getLocalPort();
            } catch (IOException taken) {
                // Another one.
            }
        }
        throw new IOException("no free port in " + ATTEMPTS + " attempts");
    }
}
