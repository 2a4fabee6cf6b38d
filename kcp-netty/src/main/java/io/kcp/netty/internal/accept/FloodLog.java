package io.kcp.netty.internal.accept;

import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.LogInterval;
import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;

/**
 * Logs that a server drops datagrams because of its flood limits, at most once per minute for each reason and for all sockets of the
 * server. This class is thread-safe.
 */
public final class FloodLog {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");
    /** The limits on new sessions apply under load, and always to an address at its limit. One line stands for both cases. */
    private static final String LIMITED = "is under load, or the address has as many sessions as maxSessionsPerAddress permits, and ";
    private static final Map<DropReason, String> CAUSES = new EnumMap<>(Map.of(
        DropReason.SOURCE_RATE, LIMITED + "the address has opened as many sessions per second as unknownDatagramsPerSecond permits",
        DropReason.DECRYPTION_BUDGET, "has spent unknownDecryptionPercent of its time on decrypting datagrams from unknown addresses, or"
            + " on forged datagrams from the addresses of its sessions",
        DropReason.FIRST_ARRIVAL, LIMITED + "a session then opens only when its first datagram is retransmitted"
            + " (retransmittedOnlyUnderLoad)",
        DropReason.UNPROVEN_ADDRESS, LIMITED + "a session then opens only when the peer has responded to a probe"
            + " (addressProofUnderLoad)",
        DropReason.OPENING_RATE, "is under load, and has opened as many sessions as openingsPerSecondUnderLoad permits or has spent too"
            + " much of its time on opening sessions",
        DropReason.OPENING_QUEUE_FULL, "is opening as many sessions as it can without delaying the open ones, and too many datagrams are"
            + " waiting"));

    private final Map<DropReason, LogInterval> intervals = new EnumMap<>(DropReason.class);

    public FloodLog() {
        CAUSES.keySet().forEach(reason -> intervals.put(reason, new LogInterval()));
    }

    /** Logs a dropped datagram, unless another datagram was logged with the same reason within the last minute. */
    void onDrop(DropReason reason, Channel channel, InetSocketAddress sender, long nowNanos) {
        LogInterval interval = intervals.get(reason);
        if (interval != null && interval.begin(nowNanos)) {
            LOGGER.info("Dropped a datagram from {}, because {} {}. Such datagrams are counted as {} in KcpListenerStats.dropped() and"
                + " logged at most once per minute.", sender, channel, CAUSES.get(reason), reason);
        }
    }
}
