package io.kcp.netty;

import io.kcp.core.KcpStats;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A session ended. */
@Name("io.kcp.SessionClosed")
@Label("KCP Session Closed")
@Description("A KCP session ended")
@Category("KCP")
@StackTrace(false)
final class SessionClosedEvent extends Event {

    /** The reason of a session that its application closed, with all data acknowledged. */
    static final String APPLICATION = "APPLICATION";

    @Label("Conversation")
    final long conv;
    @Label("Peer")
    final String peer;
    @Label("Reason")
    @Description("APPLICATION, with all data acknowledged, or a KcpCloseReason")
    final String reason;
    @Label("Age")
    @Timespan(Timespan.MILLISECONDS)
    final long age;
    @Label("Bytes Sent")
    @Description("Application bytes accepted for sending")
    @DataAmount
    final long bytesSent;
    @Label("Bytes Received")
    @Description("Application bytes handed out")
    @DataAmount
    final long bytesReceived;
    @Label("Bytes Unacknowledged")
    @DataAmount
    final long bytesUnacknowledged;
    @Label("Segments Sent")
    final long segmentsSent;
    @Label("Retransmissions")
    final long retransmissions;
    @Label("Smoothed Round Trip")
    @Timespan(Timespan.MILLISECONDS)
    final long smoothedRtt;

    /** One that is never recorded. */
    SessionClosedEvent() {
        conv = 0;
        peer = "";
        reason = APPLICATION;
        age = 0;
        bytesSent = 0;
        bytesReceived = 0;
        bytesUnacknowledged = 0;
        segmentsSent = 0;
        retransmissions = 0;
        smoothedRtt = 0;
    }

    SessionClosedEvent(DefaultKcpChannel session, long ageMs) {
        KcpSessionStats stats = session.stats();
        KcpStats counters = stats.counters();
        conv = Integer.toUnsignedLong(session.conv());
        peer = session.remoteAddress().toString();
        reason = session.closeCause() instanceof KcpCloseException cause ? cause.reason().name() : APPLICATION;
        age = ageMs;
        bytesSent = counters.bytesSent();
        bytesReceived = counters.bytesReceived();
        bytesUnacknowledged = stats.unacknowledgedBytes();
        segmentsSent = counters.segmentsOut();
        retransmissions = counters.retransmissions();
        smoothedRtt = stats.smoothedRttMs();
    }
}
