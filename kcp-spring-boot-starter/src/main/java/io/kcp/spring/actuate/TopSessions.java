package io.kcp.spring.actuate;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpSessionView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Selects the sessions with the most transferred bytes, those with the largest share of retransmissions, and those with the longest
 * round-trip times. Event loops add sessions concurrently.
 */
final class TopSessions {

    private static final Comparator<KcpSessionView> BYTES =
        Comparator.comparingLong(view -> view.stats().counters().bytesSent() + view.stats().counters().bytesReceived());
    private static final Comparator<KcpSessionView> RETRANSMISSIONS = Comparator.comparingDouble(TopSessions::retransmissionShare);
    private static final Comparator<KcpSessionView> ROUND_TRIP = Comparator.comparingInt(view -> view.stats().smoothedRttMs());

    private final int limit;
    private final PriorityQueue<KcpSessionView> bytes = new PriorityQueue<>(BYTES);
    private final PriorityQueue<KcpSessionView> retransmissions = new PriorityQueue<>(RETRANSMISSIONS);
    private final PriorityQueue<KcpSessionView> roundTrips = new PriorityQueue<>(ROUND_TRIP);

    TopSessions(int limit) {
        this.limit = limit;
    }

    /** Returns the fraction, from 0 to 1, of sent segments that are retransmissions. */
    static double retransmissionShare(KcpSessionView view) {
        KcpStats counters = view.stats().counters();
        return counters.segmentsOut() == 0 ? 0 : (double) counters.retransmissions() / counters.segmentsOut();
    }

    synchronized void add(KcpSessionView view) {
        add(bytes, view);
        add(retransmissions, view);
        add(roundTrips, view);
    }

    private void add(PriorityQueue<KcpSessionView> best, KcpSessionView view) {
        best.add(view);
        if (best.size() > limit) {
            best.remove();
        }
    }

    synchronized List<KcpSessionView> mostBytes() {
        return descending(bytes, BYTES);
    }

    synchronized List<KcpSessionView> mostRetransmissions() {
        return descending(retransmissions, RETRANSMISSIONS);
    }

    synchronized List<KcpSessionView> longestRoundTrips() {
        return descending(roundTrips, ROUND_TRIP);
    }

    private static List<KcpSessionView> descending(PriorityQueue<KcpSessionView> best, Comparator<KcpSessionView> order) {
        List<KcpSessionView> sorted = new ArrayList<>(best);
        sorted.sort(order.reversed());
        return sorted;
    }
}
