package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionStats;
import java.util.Collection;

/**
 * What the sessions of one end did so far.
 *
 * @param opened       sessions
 * @param counters     of all of them together
 * @param dropped      datagrams that were of no use
 * @param socketErrors errors of sockets that were survived
 */
record SessionCounts(long opened, KcpStats counters, long dropped, long socketErrors) {

    static SessionCounts of(KcpListenerStats stats) {
        return new SessionCounts(stats.openedSessions(), stats.sessions(), stats.droppedTotal(), stats.socketErrors());
    }

    /** Asks each session, open or closed. */
    static SessionCounts of(Collection<KcpChannel> sessions) {
        KcpStats sum = sessions.stream().map(session -> session.collectStats().syncUninterruptibly().getNow())
            .map(KcpSessionStats::counters).reduce(KcpStats.ZERO, KcpStats::plus);
        return new SessionCounts(sessions.size(), sum, 0, 0);
    }

    long datagrams() {
        return counters.datagramsIn() + counters.datagramsOut();
    }

    JsonLine addTo(JsonLine line) {
        return line.put("sessions", opened).put("datagrams_in", counters.datagramsIn()).put("datagrams_out", counters.datagramsOut())
            .put("wire_bytes_in", counters.wireBytesIn()).put("wire_bytes_out", counters.wireBytesOut())
            .put("retransmissions", counters.retransmissions()).put("spurious", counters.spuriousRetransmissions())
            .put("repeated", counters.repeatedSegments()).put("dropped", dropped).put("socket_errors", socketErrors);
    }
}
