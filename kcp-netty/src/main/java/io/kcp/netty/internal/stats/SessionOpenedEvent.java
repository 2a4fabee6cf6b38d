package io.kcp.netty.internal.stats;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A Java Flight Recorder event that reports an opened session. */
@Name("io.kcp.SessionOpened")
@Label("KCP Session Opened")
@Description("A KCP session was accepted from a client or opened to a server")
@Category("KCP")
@StackTrace(false)
final class SessionOpenedEvent extends Event {

    @Label("Conversation")
    final long conv;
    @Label("Peer")
    final String peer;

    /** Creates an event that serves only to check whether recording is enabled. */
    SessionOpenedEvent() {
        conv = 0;
        peer = "";
    }

    SessionOpenedEvent(SessionDetails session) {
        conv = Integer.toUnsignedLong(session.conv());
        peer = session.peer().toString();
    }
}
