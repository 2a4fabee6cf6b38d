package io.kcp.netty.internal.accept;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.AddressProofs;
import io.kcp.netty.internal.admission.SecondArrivals;
import io.kcp.netty.internal.admission.ServerLoad;
import io.kcp.netty.internal.admission.SourceRates;
import io.kcp.netty.internal.channel.DatagramChannelWriter;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.loop.TimeBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Limits the sessions that a socket opens while its server is under load, or while unvalidated sessions hold much memory. The first
 * datagram of a session must then be retransmitted, and its sender must prove its address. The sessions per second of each source are
 * limited. The same limits always apply to an address that has as many sessions as permitted, because its next session evicts one of them.
 */
final class LoadLimits {

    /** Maximum share of an event loop's time for opening sessions under load, in percent. */
    private static final int TIME_PERCENT = 20;
    static final long UNMEASURED = Long.MIN_VALUE;
    static final long NO_TIME = Long.MAX_VALUE;

    private final SessionHost<?> host;
    private final AcceptSettings settings;
    private final ServerLoad load;
    private final @Nullable SecondArrivals arrivals;
    private final @Nullable AddressProofs proofs;
    private final boolean limitsTime;
    private @Nullable TimeBudget time;
    private @Nullable SourceRates rates;

    LoadLimits(SessionHost<?> host, AcceptSettings settings) {
        this.host = host;
        this.settings = settings;
        load = settings.load();
        limitsTime = settings.flood().limitsOpenings();
        arrivals = settings.flood().retransmittedOnly() ? new SecondArrivals(new SecureRandom()) : null;
        proofs = settings.flood().addressProof() ? new AddressProofs(new SecureRandom()) : null;
    }

    private boolean isUnderLoad(long nowMs) {
        return load.isHigh(nowMs) || host.loop().memoryLimit().isUnvalidatedShort();
    }

    /**
     * Returns null if a datagram may open a session, otherwise the reason why the peer must first retransmit the datagram or prove its
     * address, or why its source may open no further session. Sends a probe if the proof is missing.
     */
    @Nullable DropReason refusal(InetSocketAddress peer, int conv, long nowMs) {
        if (!isUnderLoad(nowMs) && !settings.counts().isFull(peer.getAddress())) {
            return null;
        }
        if (!isProven(peer, conv, nowMs)) {
            SecondArrivals remembered = arrivals;
            if (remembered != null && !remembered.testAndAdd(peer, conv, nowMs)) {
                return DropReason.FIRST_ARRIVAL;
            }
            AddressProofs known = proofs;
            if (known != null) {
                probe(known, peer, conv, nowMs);
                return DropReason.UNPROVEN_ADDRESS;
            }
        }
        // The source is limited only after the proof, because an attacker who forges a source could otherwise use up its rate.
        return exceedsRate(peer.getAddress()) ? DropReason.SOURCE_RATE : null;
    }

    private void probe(AddressProofs known, InetSocketAddress peer, int conv, long nowMs) {
        DatagramChannelWriter writer = host.writer();
        if (writer.canWrite()) {
            ByteBuf probe = writer.allocate(SegmentHeader.LENGTH);
            SegmentHeader.write(probe, conv, SegmentHeader.CMD_PUSH, 0, settings.receiveWindow(), known.probeTs(peer, conv, nowMs),
                AddressProofs.DUPLICATE_SN, 0, 0);
            writer.write(new DatagramPacket(probe, peer));
        }
    }

    private boolean exceedsRate(InetAddress source) {
        int perSecond = settings.flood().datagramsPerSecond();
        if (perSecond == 0 || settings.limits().isTrusted(source)) {
            return false;
        }
        long nowNanos = host.loop().nowNanos();
        SourceRates perSource = rates;
        if (perSource == null) {
            perSource = new SourceRates(new SecureRandom(), perSecond, nowNanos);
            rates = perSource;
        }
        return !perSource.take(source, nowNanos);
    }

    /**
     * Returns {@code true} if a datagram that belongs to no session begins with the response to a probe, which proves the address of its
     * sender. The reader index of the datagram is then set to the segment after the response.
     */
    boolean readProof(InetSocketAddress peer, ByteBuf datagram, long nowMs) {
        AddressProofs known = proofs;
        int offset = datagram.readerIndex();
        if (known == null || !known.isEcho(peer, datagram, offset, nowMs)) {
            return false;
        }
        known.add(peer, SegmentHeader.conv(datagram, offset), SegmentHeader.ts(datagram, offset), nowMs);
        datagram.skipBytes(SegmentHeader.LENGTH);
        return true;
    }

    /** Returns the object that proves addresses, or null if that is not configured. */
    @Nullable AddressProofs proofs() {
        return proofs;
    }

    /** Returns {@code true} if the peer has recently proved its address. */
    boolean isProven(InetSocketAddress peer, int conv, long nowMs) {
        return proofs != null && proofs.hasProbed() && proofs.isProven(peer, conv, nowMs);
    }

    /** Returns the number that a new session with a peer adds to the clock in its {@code ts}. */
    int timestampBase(InetSocketAddress peer, int conv, int random, long nowMs) {
        return proofs != null && proofs.hasProbed() ? proofs.sessionBase(peer, conv, random, nowMs) : random;
    }

    /**
     * Returns the time at which the work of opening a session begins, or {@link #UNMEASURED} if the server is not under load. Returns
     * {@link #NO_TIME} if too much time was spent on opening sessions.
     */
    long begin(long nowMs) {
        if (!limitsTime || !isUnderLoad(nowMs)) {
            return UNMEASURED;
        }
        long nowNanos = host.loop().nowNanos();
        TimeBudget budget = time;
        if (budget == null) {
            budget = new TimeBudget(nowNanos);
            time = budget;
        }
        budget.refill(nowNanos, TIME_PERCENT);
        return budget.mayBegin() ? nowNanos : NO_TIME;
    }

    /** Ends the work of opening a session, including the eviction of another one. */
    void end(long beganNanos) {
        TimeBudget budget = time;
        if (budget != null && beganNanos != UNMEASURED && beganNanos != NO_TIME) {
            budget.charge(host.loop().nowNanos() - beganNanos);
        }
    }

    /** Counts a session that is about to be opened. Returns {@code false} if the server opens too many sessions per second. */
    boolean take(long nowMs) {
        return !isUnderLoad(nowMs) || load.takeOpening(nowMs) || refuseForRate(nowMs);
    }

    /** Returns {@code true} unless the server opens too many sessions per second. Counts nothing. */
    boolean hasOpening(long nowMs) {
        return !isUnderLoad(nowMs) || load.hasOpening(nowMs) || refuseForRate(nowMs);
    }

    private boolean refuseForRate(long nowMs) {
        if (arrivals != null) {
            arrivals.shorten(nowMs);
        }
        return false;
    }

    /** Records that the accept filter of the application refused a session. */
    void onFiltered(long nowMs) {
        load.onFiltered(nowMs);
    }

    /** Records that a datagram was dropped because too many peers are waiting until their sessions are opened. */
    void onQueueFull(long nowMs) {
        load.onOpeningQueueFull(nowMs);
    }

    /** Records that a session was evicted because a limit of the whole server was reached. */
    void onEvicted(long nowMs) {
        load.onEvicted(nowMs);
    }
}
