package io.kcp.testkit;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LossyRelayTest {

    private static final int POLL_MS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
            await(() -> relay.toServer().datagrams() == datagrams);
            long relayed = relay.toServer().datagrams() - relay.toServer().lost();
            assertThat(relayed).isBetween(140L, 180L);
            List<DatagramPacket> atServer = receive(relayed, server).get(0);
            assertThat(NANOSECONDS.toMillis(System.nanoTime() - startNanos)).isGreaterThanOrEqualTo(15);

            for (DatagramPacket packet : atServer) {
                server.send(packet);
            }
            await(() -> relay.toClients().datagrams() == relayed);
            List<List<DatagramPacket>> answers = receive(relayed - relay.toClients().lost(), client, other);
            assertThat(answers.get(0)).isNotEmpty().allMatch(packet -> number(packet) % 2 == 0);
            assertThat(answers.get(1)).isNotEmpty().allMatch(packet -> number(packet) % 2 == 1);
        }
    }

    @Test
    void rebindChangesThePortsOfTheClients() throws Exception {
        try (DatagramSocket server = socket(); DatagramSocket client = socket();
             LossyRelay relay = LossyRelay.start((InetSocketAddress) server.getLocalSocketAddress(), LinkProfile.builder().build(), 5)) {
            send(client, relay.address(), 1);
            DatagramPacket before = receive(1, server).get(0).get(0);
            relay.rebind();
            send(client, relay.address(), 2);
            DatagramPacket after = receive(1, server).get(0).get(0);
            assertThat(after.getPort()).isNotEqualTo(before.getPort());
            server.send(before);
            server.send(after);
            assertThat(number(receive(1, client).get(0).get(0))).as("the port of the first datagram is closed").isEqualTo(2);
        }
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(POLL_MS);
        return socket;
    }

    private static void send(DatagramSocket from, InetSocketAddress to, int number) throws IOException {
        from.send(new DatagramPacket(new byte[] {(byte) (number >> 8), (byte) number}, 2, to));
    }

    private static int number(DatagramPacket packet) {
        return (packet.getData()[0] & 0xff) << 8 | packet.getData()[1] & 0xff;
    }

    private static void await(BooleanSupplier condition) {
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - endNanos).as("the relay has not forwarded all datagrams").isNegative();
            Thread.onSpinWait();
        }
    }

    /** Waits until the sockets have received as many datagrams together, and returns those of each socket. */
    private static List<List<DatagramPacket>> receive(long datagrams, DatagramSocket... sockets) throws IOException {
        List<List<DatagramPacket>> all = Stream.of(sockets).map(socket -> (List<DatagramPacket>) new ArrayList<DatagramPacket>()).toList();
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; all.stream().mapToInt(List::size).sum() < datagrams; i = (i + 1) % sockets.length) {
            DatagramPacket packet = new DatagramPacket(new byte[2], 2);
            try {
                sockets[i].receive(packet);
                all.get(i).add(packet);
            } catch (SocketTimeoutException nothingYet) {
                assertThat(System.nanoTime() - endNanos).as("%d datagrams, received %s", datagrams, all).isNegative();
            }
        }
        return all;
    }
}
