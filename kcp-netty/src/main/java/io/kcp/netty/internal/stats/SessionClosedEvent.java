package io.kcp.netty.internal.stats;

import io.kcp.core.KcpStats;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A Java Flight Recorder event that reports a closed session. */
@Name("io.kcp.SessionClosed")
@Label("KCP Session Closed")
@Description("A KCP session was closed")
@Category("KCP")
@StackTrace(false)
final class SessionClosedEvent extends Event {

    @Label("Conversation")
    final long conv;
    @Label("Peer")
    final String peer;
    @Label("Reason")
    @Description("A KcpCloseReason, or APPLICATION if the application closed the session and all data was acknowledged")
    final String reason;
    @Label("Age")
    @Timespan(Timespan.MILLISECONDS)
    final long age;
    @Label("Bytes Sent")
    @Description("Application bytes accepted for sending")
    @DataAmount
    final long bytesSent;
    @Label("Bytes Received")
    @Description("Application bytes delivered to the pipeline")
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

    /** Creates an event that serves only to check whether recording is enabled. */
    SessionClosedEvent() {
        conv = 0;
        peer = "";
        reason = SessionDetails.APPLICATION;
        age = 0;
        bytesSent = 0;
        bytesReceived = 0;
        bytesUnacknowledged = 0;
        segmentsSent = 0;
        retransmissions = 0;
        smoothedRtt = 0;
    }

    SessionClosedEvent(SessionDetails session, long ageMs) {
        KcpStats counters = session.counters();
        conv = Integer.toUnsignedLong(session.conv());
        peer = session.peer().toString();
        reason = session.closeReason();
        age = ageMs;
        bytesSent = counters.bytesSent();
        bytesReceived = counters.bytesReceived();
        bytesUnacknowledged = session.unacknowledgedBytes();
        segmentsSent = counters.segmentsOut();
        retransmissions = counters.retransmissions();
        smoothedRtt = session.smoothedRttMs();
    }
}
