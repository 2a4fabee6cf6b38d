package io.kcp.netty.internal.stats;

import java.net.SocketAddress;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A Java Flight Recorder event which reports that a session has followed its peer to a new address. */
@Name("io.kcp.SessionMoved")
@Label("KCP Session Moved")
@Description("A KCP session has followed its peer to a new address")
@Category("KCP")
@StackTrace(false)
final class SessionMovedEvent extends Event {

    @Label("Conversation")
    final long conv;
    @Label("Peer")
    final String peer;
    @Label("Previous Peer")
    final String previousPeer;

    /** Creates an event that is used only to check whether recording is enabled. */
    SessionMovedEvent() {
        conv = 0;
        peer = "";
        previousPeer = "";
    }

    SessionMovedEvent(SessionDetails session, SocketAddress previous) {
        conv = Integer.toUnsignedLong(session.conv());
        peer = session.peer().toString();
        previousPeer = previous.toString();
    }
}
