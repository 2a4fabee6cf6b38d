package io.kcp.netty.internal.handler;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpOpenSessions;
import io.kcp.netty.internal.admission.ReplayFilter;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.socket.DatagramCoalescer;
import io.netty.channel.Channel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts the events of one datagram channel and of its sessions. It is used on the event loop of that channel only. */
final class ListenerCounters {

    private final DropCounters drops;
    private final @Nullable ReplayFilter replayFilter;
    private final Map<KcpCloseReason, Long> closings = new EnumMap<>(KcpCloseReason.class);
    private long opened;
    private long maxOpen;
    private long socketErrors;
    private long undelivered;
    private KcpStats closedSessions = KcpStats.ZERO;
    private FecStats closedFec = FecStats.ZERO;

    ListenerCounters(DropCounters drops, @Nullable ReplayFilter replayFilter) {
        this.drops = drops;
        this.replayFilter = replayFilter;
    }

    void onSocketError() {
        socketErrors++;
    }

    /** Counts an opened session and updates the maximum number of open sessions. */
    void onOpened(int openSessions) {
        opened++;
        maxOpen = Math.max(maxOpen, openSessions);
    }

    /** Counts a closed session and adds its final statistics to the totals. */
    void onClosed(DefaultKcpChannel session, KcpStats stats) {
        if (session.closeCause() instanceof KcpCloseException cause) {
            closings.merge(cause.reason(), 1L, Long::sum);
            undelivered += cause.unacknowledgedBytes() > 0 ? 1 : 0;
        }
        closedSessions = closedSessions.plus(stats);
        closedFec = closedFec.plus(session.fec.stats());
    }

    /** Returns the statistics of this channel, in which the session totals cover only closed sessions. */
    KcpListenerStats snapshot(Channel channel, int openSessions, LoopContext loop) {
        DatagramCoalescer coalescer = channel.pipeline().get(DatagramCoalescer.class);
        return new KcpListenerStats(openSessions, opened, maxOpen, closings, undelivered, drops.snapshot(), socketErrors,
            coalescer == null ? 0 : coalescer.runs(), coalescer == null ? 0 : coalescer.refusedRuns(),
            replayFilter == null ? 0 : replayFilter.shortPeriods(), loop.timers().maxDelayMs(), loop.maxHandlingDelayMs(),
            KcpOpenSessions.NONE, closedSessions, closedFec, List.of());
    }
}
