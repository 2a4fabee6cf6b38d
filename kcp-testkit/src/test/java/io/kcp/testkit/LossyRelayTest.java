package io.kcp.testkit;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LossyRelayTest {

    @Test
    void datagramsAreDelayedAndResponsesReachTheirClient() throws Exception {
        // This number of datagrams fits into the default socket buffer of every Linux system.
        int datagrams = 200;
        try (DatagramSocket server = socket(); DatagramSocket client = socket(); DatagramSocket other = socket();
             LossyRelay relay = LossyRelay.start((InetSocketAddress) server.getLocalSocketAddress(),
                 LinkProfile.builder().lossProbability(0.2).delayMs(15).build(), 5)) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < datagrams; i++) {
                send(i % 2 == 0 ? client : other, relay.address(), i);
            }
            List<DatagramPacket> atServer = receiveAll(server);
            long relayed = relay.toServer().datagrams() - relay.toServer().lost();
            assertThat(relay.toServer().datagrams()).isEqualTo(datagrams);
            assertThat(relayed).isBetween(140L, 180L);
            assertThat(atServer.size()).isEqualTo(relayed);
            assertThat(NANOSECONDS.toMillis(System.nanoTime() - startNanos)).isGreaterThanOrEqualTo(15);

            for (DatagramPacket packet : atServer) {
                server.send(packet);
            }
            List<DatagramPacket> atClient = receiveAll(client);
            List<DatagramPacket> atOther = receiveAll(other);
            assertThat(atClient).isNotEmpty().allMatch(packet -> number(packet) % 2 == 0);
            assertThat(atOther).isNotEmpty().allMatch(packet -> number(packet) % 2 == 1);
            assertThat(atClient.size() + atOther.size()).isEqualTo(relayed - relay.toClients().lost());
        }
    }

    @Test
    void rebindChangesThePortsOfTheClients() throws Exception {
        try (DatagramSocket server = socket(); DatagramSocket client = socket();
             LossyRelay relay = LossyRelay.start((InetSocketAddress) server.getLocalSocketAddress(), LinkProfile.builder().build(), 5)) {
            send(client, relay.address(), 1);
            DatagramPacket before = receiveAll(server).get(0);
            relay.rebind();
            send(client, relay.address(), 2);
            DatagramPacket after = receiveAll(server).get(0);
            assertThat(after.getPort()).isNotEqualTo(before.getPort());
            server.send(before);
            server.send(after);
            assertThat(receiveAll(client)).hasSize(1).allMatch(packet -> number(packet) == 2);
        }
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(500);
        return socket;
    }

    private static void send(DatagramSocket from, InetSocketAddress to, int number) throws IOException {
        from.send(new DatagramPacket(new byte[] {(byte) (number >> 8), (byte) number}, 2, to));
    }

    private static int number(DatagramPacket packet) {
        return (packet.getData()[0] & 0xff) << 8 | packet.getData()[1] & 0xff;
    }

    private static List<DatagramPacket> receiveAll(DatagramSocket socket) throws IOException {
        List<DatagramPacket> packets = new ArrayList<>();
        while (true) {
            DatagramPacket packet = new DatagramPacket(new byte[2], 2);
            try {
                socket.receive(packet);
            } catch (SocketTimeoutException thatWasAll) {
                return packets;
            }
            packets.add(packet);
        }
    }
}
