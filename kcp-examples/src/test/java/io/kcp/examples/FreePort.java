package io.kcp.examples;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;

/** Finds an unused UDP port. */
final class FreePort {

    private FreePort() {
    }

    static int find() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
