package io.kcp.netty;

import io.kcp.netty.admission.SecondArrivals;
import io.kcp.netty.admission.ServerLoad;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Limits the sessions that a socket opens while its server is under load. */
final class LoadedOpenings {

    private final ServerLoad load;
    private final @Nullable SecondArrivals arrivals;

    LoadedOpenings(KcpHandlerBuilder settings) {
        load = settings.load();
        arrivals = settings.childHandler != null && settings.flood.retransmittedOnly() ? new SecondArrivals(new SecureRandom()) : null;
    }

    /** Returns {@code true} if a first datagram must be dropped because it is not a retransmission. */
    boolean mustArriveAgain(InetSocketAddress peer, int conv, long nowMs) {
        SecondArrivals remembered = arrivals;
        return remembered != null && load.isHigh() && !remembered.testAndAdd(peer, conv, nowMs);
    }

    /** Counts a session that is about to be opened. Returns {@code false} if the server opens too many sessions per second. */
    boolean take(long nowMs) {
        if (!load.isHigh() || load.takeOpening(nowMs)) {
            return true;
        }
        if (arrivals != null) {
            arrivals.shorten(nowMs);
        }
        return false;
    }
}
