package io.kcp.netty.internal.stats;

import io.kcp.core.KcpStats;
import java.net.SocketAddress;

/**
 * The values of a session that are recorded in Java Flight Recorder events.
 *
 * @param conv                the conversation id
 * @param peer                the remote address
 * @param closeReason         the reason for which the session was closed, {@value #APPLICATION} if its application closed it
 * @param counters            the counters of the session
 * @param unacknowledgedBytes bytes accepted and not acknowledged
 * @param smoothedRttMs       the smoothed round-trip time in milliseconds, 0 before the first measurement
 */
public record SessionDetails(
    int conv,
    SocketAddress peer,
    String closeReason,
    KcpStats counters,
    long unacknowledgedBytes,
    int smoothedRttMs) {

    /** The close reason of a session that its application closed and whose data was acknowledged. */
    public static final String APPLICATION = "APPLICATION";
}
