package io.kcp.examples;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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

    private static final long SPACING_NANOS = 1_000_000;
    private static final int ROLLS = 200_000;

    @Test
    void impairmentRatesMatchTheConditions() {
        LinkDice dice = new LinkDice(new LinkConditions(10, 25, 10, 2, 1), 7);
        long out = fates(dice, ROLLS).stream().mapToLong(List::size).sum();

        LinkCounts counts = dice.counts();
        assertThat(counts.entered()).isEqualTo(ROLLS);
        assertThat(100.0 * counts.lost() / ROLLS).isCloseTo(10, within(0.3));
        assertThat(100.0 * counts.duplicated() / (ROLLS - counts.lost())).isCloseTo(1, within(0.1));
        assertThat(100.0 * counts.reordered() / (ROLLS - counts.lost())).isCloseTo(2, within(0.15));
        assertThat(out).isEqualTo(counts.entered() - counts.lost() + counts.duplicated());
    }

    @Test
    void outcomesDependOnTheSeedOnly() {
        LinkConditions conditions = new LinkConditions(10, 25, 10, 2, 1);
        List<List<Long>> once = fates(new LinkDice(conditions, 1), 1000);
        assertThat(fates(new LinkDice(conditions, 1), 1000)).isEqualTo(once);
        assertThat(fates(new LinkDice(conditions, 2), 1000)).isNotEqualTo(once);
    }

    @Test
    void jitterKeepsTheOrderAndStaysWithinBounds() {
        List<List<Long>> fates = fates(new LinkDice(new LinkConditions(0, 25, 10, 0, 0), 3), 20_000);
        long previous = 0;
        long least = Long.MAX_VALUE;
        long greatest = 0;
        for (int i = 0; i < fates.size(); i++) {
            long due = fates.get(i).get(0);
            assertThat(due).isGreaterThanOrEqualTo(previous);
            previous = due;
            least = Math.min(least, due - i * SPACING_NANOS);
            greatest = Math.max(greatest, due - i * SPACING_NANOS);
        }
        assertThat(least).isBetween(MILLISECONDS.toNanos(25), MILLISECONDS.toNanos(26));
        assertThat(greatest).isBetween(MILLISECONDS.toNanos(34), MILLISECONDS.toNanos(35));
    }

    @Test
    void reorderedDatagramsAreOvertaken() {
        LinkDice dice = new LinkDice(new LinkConditions(0, 25, 0, 5, 0), 3);
        List<List<Long>> fates = fates(dice, 10_000);
        long overtaken = 0;
        for (int i = 0; i + 1 < fates.size(); i++) {
            overtaken += fates.get(i).get(0) > fates.get(i + 1).get(0) ? 1 : 0;
        }
        // Two consecutive reordered datagrams may stay in order.
        assertThat(overtaken).isCloseTo(dice.counts().reordered(), within(dice.counts().reordered() / 10));
    }

    @Test
    void invalidConditionsAreRejected() {
        assertThatThrownBy(() -> new LinkConditions(101, 0, 0, 0, 0)).hasMessageContaining("loss: 101.0 (expected: 0 to 100");
        assertThatThrownBy(() -> new LinkConditions(0, -1, 0, 0, 0)).hasMessageContaining("delay: -1.0 (expected: 0 to 60000");
        assertThatThrownBy(() -> new LinkConditions(0, 0, 0, 0, Double.NaN)).hasMessageContaining("duplicate");
    }

    @Test
    void datagramsAreDelayedAndAnswersReachTheirClient() throws Exception {
        // Few enough to fit into the default socket buffer of any Linux.
        int datagrams = 200;
        try (DatagramSocket server = socket(); DatagramSocket client = socket(); DatagramSocket other = socket();
             LossyRelay relay = LossyRelay.start((InetSocketAddress) server.getLocalSocketAddress(),
                 new LinkConditions(20, 15, 0, 0, 0), 5)) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < datagrams; i++) {
                send(i % 2 == 0 ? client : other, relay.address(), i);
            }
            List<DatagramPacket> atServer = receiveAll(server);
            long relayed = relay.toServer().entered() - relay.toServer().lost();
            assertThat(relay.toServer().entered()).isEqualTo(datagrams);
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

    private static List<List<Long>> fates(LinkDice dice, int datagrams) {
        List<List<Long>> fates = new ArrayList<>();
        for (int i = 0; i < datagrams; i++) {
            List<Long> dueNanos = new ArrayList<>();
            dice.roll(100, i * SPACING_NANOS, dueNanos::add);
            fates.add(dueNanos);
        }
        return fates;
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
