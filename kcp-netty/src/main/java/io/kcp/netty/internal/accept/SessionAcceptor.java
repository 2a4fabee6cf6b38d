package io.kcp.netty.internal.accept;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.FirstDatagram;
import io.kcp.netty.AcceptFilter;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.internal.admission.MemoryRelief;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.SetupFailures;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionFlusher;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.channel.SessionSetup;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions for the first datagrams of peers, if the limits of the server and its {@link AcceptFilter} allow it. Beyond a limit of
 * the server or of an address, a new session evicts a session whose peer is not validated.
 */
public final class SessionAcceptor {

    private static final long EXPIRY_INTERVAL_MS = 1_000;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");

    private final SessionHost<DefaultKcpChannel> host;
    private final SessionFlusher service;
    private final AcceptSettings settings;
    private final Map<ChannelOption<?>, Object> childOptions;
    private final SessionCounts counts;
    private final LoadLimits openings;
    private final UnvalidatedSessions<DefaultKcpChannel> unvalidated;
    private final MemoryRelief<DefaultKcpChannel> relief;
    private final SetupFailures setupFailures = new SetupFailures();
    private final Runnable onExpiry = this::expire;
    private boolean expiryScheduled;
    private boolean filterFailed;

    SessionAcceptor(SessionHost<DefaultKcpChannel> host, SessionFlusher service, AcceptSettings settings, LoadLimits openings) {
        this.host = host;
        this.service = service;
        this.settings = settings;
        this.openings = openings;
        childOptions = new LinkedHashMap<>(settings.childOptions());
        counts = settings.counts();
        unvalidated = new UnvalidatedSessions<>(counts::addUnvalidated);
        relief = new MemoryRelief<>(unvalidated, session -> session.closeWith(KcpCloseReason.EVICTED));
    }

    /** Opens and returns a session with a peer. Returns null, and counts the datagram as dropped, if the session is refused. */
    @Nullable DefaultKcpChannel accept(InetSocketAddress peer, ByteBuf firstDatagram, long nowMs) {
        if (!hasTime(nowMs)) {
            onRefused(peer, DropReason.OPENING_RATE);
            return null;
        }
        return accept(peer, counts.place(peer.getAddress()), firstDatagram, nowMs);
    }

    /** Counts a datagram that must not open a session. */
    void onRefused(InetSocketAddress sender, DropReason reason) {
        host.drop(reason);
        long nowNanos = host.loop().nowNanos();
        host.loop().decryptionBudget().onUseless(nowNanos);
        settings.floodLog().onDrop(reason, host.channel(), sender, nowNanos);
    }

    /** Opens and returns a session with a peer that may already be counted, or returns null if the session is refused. */
    @Nullable DefaultKcpChannel accept(InetSocketAddress peer, SessionCounts.Place place, ByteBuf firstDatagram, long nowMs) {
        DefaultKcpChannel session = null;
        long beganNanos = LoadLimits.UNMEASURED;
        try {
            beganNanos = openings.begin(nowMs);
            int conv = SegmentHeader.conv(firstDatagram, firstDatagram.readerIndex());
            DropReason refusal = refusal(peer, conv, firstDatagram, place, nowMs);
            if (refusal == null) {
                session = open(peer, conv, place, nowMs);
            } else {
                onRefused(peer, refusal);
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
        return openings.begin(nowMs) != LoadLimits.NO_TIME;
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
    SessionCounts.@Nullable Place reserve(InetSocketAddress peer, boolean proven, long nowMs) {
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
            onRefused(peer, refusal);
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
    private @Nullable DropReason refusal(InetSocketAddress peer, int conv, ByteBuf firstDatagram, SessionCounts.Place place, long nowMs) {
        unvalidated.expire(nowMs);
        SessionCounts.Limit limit = place.isTaken() ? null : counts.take(place);
        if (limit != null && !mayEvict(limit, place, nowMs)) {
            return dropReason(limit);
        }
        if (!setupFailures.mayTry(nowMs)) {
            return DropReason.SETUP_FAILED;
        }
        if (!isAccepted(peer, conv, firstDatagram)) {
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

    /** Calls the filter of the application. If the filter throws an exception, only the current datagram is dropped. */
    private boolean isAccepted(InetSocketAddress peer, int conv, ByteBuf firstDatagram) {
        AcceptFilter filter = settings.acceptFilter();
        try {
            return filter == AcceptFilter.ALL || filter.accept(peer, conv, FirstDatagram.firstPayload(firstDatagram));
        } catch (OutOfMemoryError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            if (!filterFailed) {
                filterFailed = true;
                LOGGER.warn("The AcceptFilter of {} threw an exception, so the datagram is dropped. Further exceptions are not logged.",
                    host.channel(), mistake);
            }
            return false;
        }
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

    private @Nullable DefaultKcpChannel open(InetSocketAddress peer, int conv, SessionCounts.Place place, long nowMs) {
        Channel parent = settings.parent();
        DefaultKcpChannel session = new DefaultKcpChannel(parent != null ? parent : host.channel(), host, service, conv, true);
        session.setRemoteAddress(peer);
        session.place = place;
        session.key.followPeer();
        if (!isSetUp(session, nowMs)) {
            host.drop(DropReason.SETUP_FAILED);
            return null;
        }
        try {
            session.unvalidated = openings.isProven(peer, conv, nowMs) ? unvalidated.addProven(session, place, nowMs)
                : unvalidated.add(session, place, nowMs);
            session.kcp().memory().setUnvalidated(session.kcp().amplificationLimit().isActive());
            scheduleExpiry(nowMs);
            settings.onAccepted().accept(session);
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
            host.channel().eventLoop().schedule(onExpiry, Math.max(waitMs, EXPIRY_INTERVAL_MS), TimeUnit.MILLISECONDS);
            expiryScheduled = true;
        }
    }

    private void expire() {
        expiryScheduled = false;
        long nowMs = host.loop().nowMs();
        unvalidated.expire(nowMs);
        scheduleExpiry(nowMs);
    }

    private boolean isSetUp(DefaultKcpChannel session, long nowMs) {
        Channel datagramChannel = host.channel();
        ChannelHandler childHandler = settings.childHandler();
        try {
            List<ChannelOption<?>> unknown = SessionSetup.apply(session, childHandler, childOptions, settings.childAttributes());
            // Removes unsupported options, so that the same warning is not logged again for the next session.
            childOptions.keySet().removeAll(unknown);
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
    public void relieveMemory(OutOfMemoryError shortage) {
        long nowMs = host.loop().nowMs();
        openings.onEvicted(nowMs);
        relief.onOutOfMemory(host.channel(), shortage, nowMs);
    }

    /** Returns the number that an accepted session adds to the clock in its {@code ts}. */
    public int timestampBase(DefaultKcpChannel session, int random, long nowMs) {
        return openings.timestampBase(session.remoteAddress(), session.conv(), random, nowMs);
    }

    /** Updates the validation state of a session after it has accepted a datagram, which FEC may have recovered. */
    public void onInput(DefaultKcpChannel session, boolean recovered) {
        if (session.kcp().isPeerValidated()) {
            forget(session);
        } else {
            session.kcp().amplificationLimit().onReceived(recovered ? 0 : host.writer().inboundCipherBytes());
            UnvalidatedSessions.Entry<DefaultKcpChannel> entry = session.unvalidated;
            if (entry != null && unvalidated.onDatagram(entry)) {
                session.kcp().ping((int) host.loop().recentNowMs());
            }
        }
    }

    private void forget(DefaultKcpChannel session) {
        UnvalidatedSessions.Entry<DefaultKcpChannel> entry = session.unvalidated;
        if (entry != null) {
            unvalidated.remove(entry);
            session.unvalidated = null;
            session.kcp().memory().setUnvalidated(false);
        }
    }

    /** Removes a closed session from the counts of open and unvalidated sessions. */
    public void onClosed(DefaultKcpChannel session) {
        forget(session);
        SessionCounts.Place place = session.place;
        if (place != null) {
            counts.release(place);
        }
        // Calls setupFailures.onClosed() as the final step, because that method allocates memory and may therefore fail.
        setupFailures.onClosed(session);
    }
}
