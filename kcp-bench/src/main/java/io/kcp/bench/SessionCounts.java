package io.kcp.bench;

import io.kcp.core.KcpStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionStats;
import java.util.Collection;
import tools.jackson.databind.node.ObjectNode;

/**
 * Statistics of all sessions of a server or client.
 *
 * @param opened       sessions opened so far
 * @param counters     the counters of all sessions added up
 * @param dropped      datagrams that were dropped
 * @param socketErrors socket errors after which the socket stayed open
 */
record SessionCounts(long opened, KcpStats counters, long dropped, long socketErrors) {

    static SessionCounts of(KcpListenerStats stats) {
        return new SessionCounts(stats.openedSessions(), stats.sessions(), stats.droppedTotal(), stats.socketErrors());
    }

    /** Collects and adds up the statistics of open and closed sessions. */
    static SessionCounts of(Collection<KcpChannel> sessions) {
        KcpStats sum = sessions.stream().map(session -> session.collectStats().syncUninterruptibly().getNow())
            .map(KcpSessionStats::counters).reduce(KcpStats.ZERO, KcpStats::plus);
        return new SessionCounts(sessions.size(), sum, 0, 0);
    }

    long datagrams() {
        return counters.datagramsIn() + counters.datagramsOut();
    }

    ObjectNode addTo(ObjectNode event) {
        return event.put("sessions", opened).put("datagrams_in", counters.datagramsIn()).put("datagrams_out", counters.datagramsOut())
            .put("wire_bytes_in", counters.wireBytesIn()).put("wire_bytes_out", counters.wireBytesOut())
            .put("retransmissions", counters.retransmissions()).put("spurious", counters.spuriousRetransmissions())
            .put("repeated", counters.repeatedSegments()).put("dropped", dropped).put("socket_errors", socketErrors);
    }
}
