package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImpairmentsTest {

    private static final long SPACING_US = 1_000;
    private static final int DATAGRAMS = 200_000;
    private static final LinkProfile ROUGH = LinkProfile.builder().lossProbability(0.10).delayMs(25).slowJitterMs(10).reorder(0.02, 2, 27)
        .duplicateProbability(0.01).build();

    private final ByteBuf datagram = Unpooled.buffer(100).writeZero(100);
    private LinkCounts counts = LinkCounts.NONE;

    /** Returns the arrival times of each datagram: none if it is lost, two if it is duplicated. */
    private List<List<Long>> arrivals(Impairments impairments, int datagrams) {
        List<List<Long>> arrivals = new ArrayList<>();
        for (int i = 0; i < datagrams; i++) {
            LinkFate fate = impairments.next(datagram, i * SPACING_US);
            counts = counts.plus(100, fate, impairments.isReordered());
            List<Long> atUs = new ArrayList<>();
            if (fate.arrives()) {
                atUs.add(impairments.arrivalUs());
            }
            if (fate == LinkFate.DUPLICATED) {
                atUs.add(impairments.copyArrivalUs());
            }
            arrivals.add(atUs);
        }
        return arrivals;
    }

    @Test
    void impairmentRatesMatchTheProfile() {
        long arrived = arrivals(new Impairments(ROUGH, 7), DATAGRAMS).stream().mapToLong(List::size).sum();
        assertThat(counts.datagrams()).isEqualTo(DATAGRAMS);
        assertThat(100.0 * counts.lost() / DATAGRAMS).isCloseTo(10, within(0.3));
        assertThat(100.0 * counts.duplicated() / (DATAGRAMS - counts.lost())).isCloseTo(1, within(0.1));
        assertThat(100.0 * counts.reordered() / (DATAGRAMS - counts.lost())).isCloseTo(2, within(0.15));
        assertThat(arrived).isEqualTo(counts.datagrams() - counts.lost() + counts.duplicated());
    }

    @Test
    void arrivalsDependOnTheSeedOnly() {
        List<List<Long>> once = arrivals(new Impairments(ROUGH, 1), 1_000);
        assertThat(arrivals(new Impairments(ROUGH, 1), 1_000)).isEqualTo(once);
        assertThat(arrivals(new Impairments(ROUGH, 2), 1_000)).isNotEqualTo(once);
    }

    @Test
    void slowJitterKeepsTheOrderAndStaysWithinBounds() {
        LinkProfile link = LinkProfile.builder().delayMs(25).slowJitterMs(10).build();
        List<List<Long>> arrivals = arrivals(new Impairments(link, 3), 20_000);
        long previousUs = 0;
        long leastUs = Long.MAX_VALUE;
        long greatestUs = 0;
        for (int i = 0; i < arrivals.size(); i++) {
            long arrivalUs = arrivals.get(i).get(0);
            assertThat(arrivalUs).isGreaterThanOrEqualTo(previousUs);
            previousUs = arrivalUs;
            leastUs = Math.min(leastUs, arrivalUs - i * SPACING_US);
            greatestUs = Math.max(greatestUs, arrivalUs - i * SPACING_US);
        }
        assertThat(leastUs).isBetween(25_000L, 26_000L);
        assertThat(greatestUs).isBetween(34_000L, 35_000L);
    }

    @Test
    void reorderedDatagramsArriveAfterLaterOnes() {
        LinkProfile link = LinkProfile.builder().delayMs(25).reorder(0.05, 2, 27).build();
        List<List<Long>> arrivals = arrivals(new Impairments(link, 3), 10_000);
        long reordered = 0;
        for (int i = 0; i + 1 < arrivals.size(); i++) {
            reordered += arrivals.get(i).get(0) > arrivals.get(i + 1).get(0) ? 1 : 0;
        }
        // Two consecutive reordered datagrams may stay in order.
        assertThat(reordered).isCloseTo(counts.reordered(), within(counts.reordered() / 10));
    }
}
