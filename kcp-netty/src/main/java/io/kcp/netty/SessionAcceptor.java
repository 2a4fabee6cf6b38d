package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.admission.MemoryRelief;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.SetupFailures;
import io.kcp.netty.admission.UnvalidatedSessions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions for the first datagrams of peers, if the limits of the server and its {@link AcceptFilter} allow it. Beyond a limit of
 * the server or of an address, a new session evicts a session whose peer is not validated.
 */
final class SessionAcceptor {

    private static final long EXPIRY_INTERVAL_MS = 1_000;

    private final KcpHandler handler;
    private final KcpHandlerBuilder settings;
    private final UserHooks hooks;
    private final SessionCounts counts;
    private final OpeningLimits openings;
    private final UnvalidatedSessions<DefaultKcpChannel> unvalidated;
    private final MemoryRelief<DefaultKcpChannel> relief;
    private final SetupFailures setupFailures = new SetupFailures();
    private final Runnable onExpiry = this::expire;
    private boolean expiryScheduled;

    SessionAcceptor(KcpHandler handler, KcpHandlerBuilder settings, UserHooks hooks, OpeningLimits openings) {
        this.handler = handler;
        this.settings = settings;
        this.hooks = hooks;
        this.openings = openings;
        counts = settings.counts();
        unvalidated = new UnvalidatedSessions<>(counts::addUnvalidated);
        relief = new MemoryRelief<>(unvalidated, session -> session.closeWith(KcpCloseReason.EVICTED));
    }

    /** Opens and returns a session with a peer. Returns null, and counts the datagram as dropped, if the session is refused. */
    @Nullable DefaultKcpChannel accept(ChannelHandlerContext context, InetSocketAddress peer, ByteBuf firstDatagram, long nowMs) {
        if (!hasTime(nowMs)) {
            handler.onRefused(context, peer, DropReason.OPENING_RATE);
            return null;
        }
        return accept(context, peer, counts.place(peer.getAddress()), firstDatagram, nowMs);
    }

    /** Opens and returns a session with a peer that may already be counted, or returns null if the session is refused. */
    @Nullable DefaultKcpChannel accept(ChannelHandlerContext context, InetSocketAddress peer, SessionCounts.Place place,
        ByteBuf firstDatagram, long nowMs) {
        DefaultKcpChannel session = null;
        long beganNanos = OpeningLimits.UNMEASURED;
        try {
            beganNanos = openings.begin(nowMs);
            int conv = SegmentHeader.conv(firstDatagram, firstDatagram.readerIndex());
            DropReason refusal = refusal(context, peer, conv, firstDatagram, place, nowMs);
            if (refusal == null) {
                session = open(context, peer, conv, place, nowMs);
            } else {
                handler.onRefused(context, peer, refusal);
            }
        } finally {
            if (session == null) {
                counts.release(place);
            }
            openings.end(beganNanos);
        }
        return session;
    }

    /** Returns {@code true} unless the server is under load and has used up its time for opening sessions. */
    boolean hasTime(long nowMs) {
        return openings.begin(nowMs) != OpeningLimits.NO_TIME;
    }

    /** Returns {@code true} unless the server is under load and has used up its time for opening sessions, or its sessions per second. */
    boolean mayOpen(long nowMs) {
        return hasTime(nowMs) && openings.hasOpening(nowMs);
    }

    /**
     * Records that a datagram was dropped because too many peers are waiting until their sessions are opened. The server is then under
     * load, and peers must prove their addresses, because a flood from forged addresses would otherwise keep all others from waiting.
     */
    void onQueueFull(long nowMs) {
        openings.onQueueFull(nowMs);
    }

    /** Returns {@code true} if the peer has recently proved its address. */
    boolean isProven(InetSocketAddress peer, int conv, long nowMs) {
        return openings.isProven(peer, conv, nowMs);
    }

    /**
     * Counts a session that is opened later. Returns null, and counts the datagram as dropped, if the session would exceed a limit. Evicts
     * no other session, because that takes as much time as opening a session.
     */
    SessionCounts.@Nullable Place reserve(ChannelHandlerContext context, InetSocketAddress peer, boolean proven, long nowMs) {
        unvalidated.expire(nowMs);
        SessionCounts.Place place = counts.place(peer.getAddress());
        DropReason refusal = !hasTime(nowMs) ? DropReason.OPENING_RATE
            : !setupFailures.mayTry(nowMs) ? DropReason.SETUP_FAILED
            : !proven && counts.isUnvalidatedFull() ? DropReason.OPENING_QUEUE_FULL : null;
        SessionCounts.Limit limit = refusal == null ? counts.take(place) : null;
        if (limit != null) {
            refusal = mayEvict(limit, place, nowMs) ? DropReason.OPENING_QUEUE_FULL : dropReason(limit);
        }
        if (refusal == DropReason.OPENING_QUEUE_FULL && limit != SessionCounts.Limit.ADDRESS) {
            onQueueFull(nowMs);
        }
        if (refusal != null) {
            handler.onRefused(context, peer, refusal);
            return null;
        }
        counts.addUnvalidated(proven ? 0 : 1);
        return place;
    }

    /** Stops counting a session that was to be opened later. */
    void cancel(SessionCounts.Place place, boolean proven) {
        cancelUnvalidated(proven);
        counts.release(place);
    }

    /** Stops counting a session that was to be opened later as unvalidated, because it is opened now. */
    void cancelUnvalidated(boolean proven) {
        counts.addUnvalidated(proven ? 0 : -1);
    }

    /** Counts a new session against the limits of the server. Returns null on success, otherwise the reason why the session is refused. */
    private @Nullable DropReason refusal(ChannelHandlerContext context, InetSocketAddress peer, int conv, ByteBuf firstDatagram,
        SessionCounts.Place place, long nowMs) {
        unvalidated.expire(nowMs);
        SessionCounts.Limit limit = place.isTaken() ? null : counts.take(place);
        if (limit != null && !mayEvict(limit, place, nowMs)) {
            return dropReason(limit);
        }
        if (!setupFailures.mayTry(nowMs)) {
            return DropReason.SETUP_FAILED;
        }
        if (!hooks.isAccepted(context, peer, conv, firstDatagram)) {
            openings.onFiltered(nowMs);
            return DropReason.FILTERED;
        }
        if (!openings.take(nowMs)) {
            return DropReason.OPENING_RATE;
        }
        if (limit == SessionCounts.Limit.ADDRESS) {
            evict(unvalidated.pollEvictable(place, nowMs));
        }
        boolean evicted = counts.isUnvalidatedFull() && evict(unvalidated.pollOldest());
        if (limit == SessionCounts.Limit.TOTAL && !evicted) {
            evicted = evict(unvalidated.pollEvictable(nowMs));
        }
        if (evicted) {
            openings.onEvicted(nowMs);
        }
        return limit == null ? null : dropReason(counts.take(place));
    }

    /** Returns {@code true} if the eviction of an unvalidated session makes room for a session that exceeds a limit. */
    private boolean mayEvict(SessionCounts.Limit limit, SessionCounts.Place place, long nowMs) {
        return limit == SessionCounts.Limit.ADDRESS ? unvalidated.hasEvictable(place, nowMs) : unvalidated.hasEvictable(nowMs);
    }

    private static boolean evict(@Nullable DefaultKcpChannel session) {
        if (session != null) {
            session.closeWith(KcpCloseReason.EVICTED);
        }
        return session != null;
    }

    private static @Nullable DropReason dropReason(SessionCounts.@Nullable Limit limit) {
        return limit == null ? null : limit == SessionCounts.Limit.TOTAL ? DropReason.SESSION_LIMIT : DropReason.ADDRESS_LIMIT;
    }

    private @Nullable DefaultKcpChannel open(ChannelHandlerContext context, InetSocketAddress peer, int conv,
        SessionCounts.Place place, long nowMs) {
        ChannelHandler childHandler = settings.childHandler;
        assert childHandler != null;
        Channel parent = settings.parent;
        DefaultKcpChannel session = new DefaultKcpChannel(parent != null ? parent : context.channel(), handler, conv);
        session.setRemoteAddress(peer);
        session.place = place;
        session.key.followPeer();
        if (!isSetUp(context.channel(), session, childHandler, nowMs)) {
            handler.drop(DropReason.SETUP_FAILED);
            return null;
        }
        try {
            session.unvalidated = openings.isProven(peer, conv, nowMs) ? unvalidated.addProven(session, place, nowMs)
                : unvalidated.add(session, place, nowMs);
            session.kcp().held().setUnvalidated(session.kcp().amplificationLimit().isActive());
            scheduleExpiry(nowMs);
            if (parent instanceof DefaultKcpServerChannel server) {
                server.onAccepted(session);
            }
        } catch (OutOfMemoryError shortage) {
            session.failWith(shortage);
            throw shortage;
        }
        return session;
    }

    /**
     * Schedules the task that stops counting expired unvalidated sessions, unless that task is already scheduled or no session can expire.
     * Without this task, a socket that gets no new sessions would keep expired ones in the count that all sockets of the server share.
     */
    private void scheduleExpiry(long nowMs) {
        long waitMs = unvalidated.msUntilExpiry(nowMs);
        if (waitMs >= 0 && !expiryScheduled) {
            handler.datagramChannel().eventLoop().schedule(onExpiry, Math.max(waitMs, EXPIRY_INTERVAL_MS), TimeUnit.MILLISECONDS);
            expiryScheduled = true;
        }
    }

    private void expire() {
        expiryScheduled = false;
        long nowMs = handler.loop().nowMs();
        unvalidated.expire(nowMs);
        scheduleExpiry(nowMs);
    }

    private boolean isSetUp(Channel datagramChannel, DefaultKcpChannel session, ChannelHandler childHandler, long nowMs) {
        try {
            List<ChannelOption<?>> unknown =
                SessionSetup.apply(session, childHandler, settings.childOptions, settings.childAttributes);
            // Removes unsupported options, so that the same warning is not logged again for the next session.
            settings.childOptions.keySet().removeAll(unknown);
        } catch (OutOfMemoryError shortage) {
            session.unsafe().close(session.unsafe().voidPromise());
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            // Catches exceptions and errors, such as a missing class or a failed assertion, because a faulty option must not close the
            // socket.
            session.unsafe().close(session.unsafe().voidPromise());
            setupFailures.onRefusedOption(datagramChannel, session, mistake, nowMs);
            return false;
        }
        setupFailures.begin(session);
        datagramChannel.eventLoop().register(session);
        if (session.isActive() && SessionSetup.lostHandler(session, childHandler)) {
            session.config().setLingerMs(0);
            session.closeBecause(new IllegalStateException(
                "The childHandler threw an exception in handlerAdded, which Netty has logged as a warning"));
            setupFailures.onHandlerLost();
        }
        setupFailures.end(datagramChannel, nowMs);
        return session.isActive();
    }

    /** Closes sessions to free memory after a failed allocation. Never throws an exception. */
    void relieveMemory(Channel datagramChannel, OutOfMemoryError shortage, long nowMs) {
        openings.onEvicted(nowMs);
        relief.onOutOfMemory(datagramChannel, shortage, nowMs);
    }

    /** Returns the number that an accepted session adds to the clock in its {@code ts}. */
    int timestampBase(DefaultKcpChannel session, int random, long nowMs) {
        return openings.timestampBase(session.remoteAddress(), session.conv(), random, nowMs);
    }

    /** Updates the validation state of a session after it has accepted a datagram, which FEC may have recovered. */
    void onInput(DefaultKcpChannel session, boolean recovered) {
        if (session.kcp().isPeerValidated()) {
            forget(session);
        } else {
            session.kcp().amplificationLimit().onReceived(recovered ? 0 : handler.writer().inboundCipherBytes());
            UnvalidatedSessions.Entry<DefaultKcpChannel> entry = session.unvalidated;
            if (entry != null && unvalidated.onDatagram(entry)) {
                session.kcp().ping((int) handler.loop().recentNowMs());
            }
        }
    }

    /** Counts a session under the IP address to which its peer has moved. Returns {@code false} if that address has too many sessions. */
    boolean mayMove(SessionCounts.Place place, InetSocketAddress current) {
        return counts.move(place, current.getAddress());
    }

    private void forget(DefaultKcpChannel session) {
        UnvalidatedSessions.Entry<DefaultKcpChannel> entry = session.unvalidated;
        if (entry != null) {
            unvalidated.remove(entry);
            session.unvalidated = null;
            session.kcp().held().setUnvalidated(false);
        }
    }

    /** Removes a closed session from the counts of open and unvalidated sessions. */
    void onClosed(DefaultKcpChannel session) {
        forget(session);
        SessionCounts.Place place = session.place;
        if (place != null) {
            counts.release(place);
        }
        // Calls setupFailures.onClosed() as the final step, because that method allocates memory and may therefore fail.
        setupFailures.onClosed(session);
    }
}
