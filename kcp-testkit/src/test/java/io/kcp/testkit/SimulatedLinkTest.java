package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimulatedLinkTest {

    private static final int BYTES = 1_250;
    private static final long SEED = 3;

    private final CountingAllocator buffers = new CountingAllocator(false);
    private final SimulatedNetwork network = new SimulatedNetwork();
    private final List<Integer> arrived = new ArrayList<>();
    private final List<Long> arrivedAtUs = new ArrayList<>();
    private final List<LinkFate> fates = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        network.release();
        assertThat(buffers.outstandingBytes()).isZero();
    }

    private void send(LinkProfile profile, int datagrams) {
        SimulatedLink link = network.newLink(profile, SEED, this::receive);
        link.addObserver((datagram, fate, nowUs) -> fates.add(fate));
        for (int i = 0; i < datagrams; i++) {
            link.send(buffers.buffer(BYTES).writeInt(i).writeZero(BYTES - Integer.BYTES));
        }
        network.runUntil(network.nowUs() + 10_000_000);
    }

    private void receive(ByteBuf datagram) {
        arrived.add(datagram.getInt(0));
        arrivedAtUs.add(network.nowUs());
        datagram.release();
    }

    @Test
    void rateAndDelaySpaceDatagrams() {
        // 1250 bytes take a millisecond at 10 Mb/s.
        send(LinkProfile.builder().rateBitsPerSecond(10_000_000).delayMs(5).build(), 3);
        assertThat(arrivedAtUs).containsExactly(6_000L, 7_000L, 8_000L);
    }

    @Test
    void rateFollowsATrace() {
        DeliveryTrace trace = DeliveryTrace.parse(List.of("3", "3", "10"));
        send(LinkProfile.builder().trace(trace).framingBytes(250).queueDatagrams(4).delayMs(5).build(), 6);
        assertThat(arrivedAtUs).containsExactly(8_000L, 8_000L, 15_000L, 18_000L, 18_000L);
        assertThat(fates).endsWith(LinkFate.QUEUE_FULL);
    }

    @Test
    void datagramsWaitDuringAnInterruption() {
        send(LinkProfile.builder().rateBitsPerSecond(10_000_000).interruption(1, 50).queueDatagrams(2).build(), 4);
        assertThat(arrivedAtUs).containsExactly(1_000L, 51_000L, 52_000L);
        assertThat(fates).endsWith(LinkFate.QUEUE_FULL);
    }

    @Test
    void linkWithoutARateIsInterruptedToo() {
        send(LinkProfile.builder().interruption(0, 50).delayMs(5).build(), 2);
        assertThat(arrivedAtUs).containsExactly(55_000L, 55_000L);
    }

    @Test
    void datagramsAreReleasedTogether() {
        send(LinkProfile.builder().rateBitsPerSecond(10_000_000).releaseIntervalMs(3).build(), 7);
        assertThat(arrivedAtUs).containsExactly(3_000L, 3_000L, 3_000L, 6_000L, 6_000L, 6_000L, 9_000L);
        assertThat(arrived).isEqualTo(sorted());
    }

    @Test
    void fullQueueDrops() {
        send(LinkProfile.builder().rateBitsPerSecond(10_000_000).queueDatagrams(2).build(), 5);
        assertThat(arrived).containsExactly(0, 1, 2);
        assertThat(fates).endsWith(LinkFate.QUEUE_FULL, LinkFate.QUEUE_FULL);
    }

    @Test
    void queueIsLimitedInBytesWithFraming() {
        send(LinkProfile.builder().rateBitsPerSecond(10_000_000).framingBytes(28).queueBytes(2 * (BYTES + 28)).build(), 5);
        assertThat(arrived).containsExactly(0, 1, 2);
    }

    @Test
    void queueEmptiesWithTime() {
        LinkProfile profile = LinkProfile.builder().rateBitsPerSecond(10_000_000).queueDatagrams(1).build();
        send(profile, 2);
        send(profile, 2);
        assertThat(arrived).containsExactly(0, 1, 0, 1);
    }

    @Test
    void jitterReordersUnlessToldNotTo() {
        send(LinkProfile.builder().jitterMs(100, false).build(), 50);
        assertThat(arrived).as("seed %d", SEED).hasSize(50).isNotEqualTo(sorted());
        arrived.clear();
        send(LinkProfile.builder().jitterMs(100, true).build(), 50);
        assertThat(arrived).as("seed %d", SEED).hasSize(50).isEqualTo(sorted());
    }

    @Test
    void lateDatagramsAreOvertaken() {
        send(LinkProfile.builder().reorder(0.25, 50).build(), 400);
        assertThat(arrivedAtUs.stream().filter(us -> us == 50_000).count()).as("seed %d", SEED).isBetween(70L, 130L);
    }

    @Test
    void duplicatesArriveTwice() {
        send(LinkProfile.builder().duplicateProbability(1).build(), 2);
        assertThat(arrived).containsExactly(0, 0, 1, 1);
    }

    @Test
    void corruptionFlipsOneBit() {
        List<Integer> bits = new ArrayList<>();
        SimulatedLink link = network.newLink(LinkProfile.builder().corruptProbability(1).build(), SEED, datagram -> {
            int set = 0;
            while (datagram.isReadable()) {
                set += Integer.bitCount(datagram.readUnsignedByte());
            }
            bits.add(set);
            datagram.release();
        });
        link.send(buffers.buffer(BYTES).writeZero(BYTES));
        network.runUntil(0);
        assertThat(bits).containsExactly(1);
    }

    @Test
    void datagramsAboveTheMtuAreLost() {
        send(LinkProfile.builder().mtuBytes(BYTES - 1).build(), 1);
        assertThat(fates).containsExactly(LinkFate.TOO_LARGE);
        assertThat(arrived).isEmpty();
    }

    private List<Integer> sorted() {
        return arrived.stream().sorted().toList();
    }
}
