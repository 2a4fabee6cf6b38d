package io.kcp.netty.internal.accept;

import io.kcp.netty.AcceptFilter;
import io.kcp.netty.DropReason;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionFlusher;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.roaming.PathRouter;
import io.kcp.netty.internal.session.ConversationIndex;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions for first datagrams, for at most {@value #BUDGET_NANOS} ns in each read batch of the socket. Opening a session takes some
 * 60 µs, so hundreds of peers that connect at the same time would otherwise delay the open sessions by tens of milliseconds. The remaining
 * first datagrams wait in {@link WaitingPeers}. A task opens their sessions within the same limit, once per event-loop iteration: first
 * after the read batch in the same iteration, and then in the next iterations, each time after the event loop has polled its sockets. If
 * the server is under load and has used up its time or its sessions per second, the peers wait longer.
 *
 * <p>Each socket has its own limits, also if several sockets share an event loop. A datagram that is dropped because the queue is full puts
 * the server under load.
 *
 * <p>The session limits are applied before a datagram waits, and waiting peers count as sessions. The {@link AcceptFilter} is called when
 * the session is opened. Until then, FEC does not see the datagrams of the peer.
 */
public final class FirstDatagramReader {

    /** Maximum time in nanoseconds for opening sessions in one read batch or one task. */
    public static final long BUDGET_NANOS = 1_000_000;
    /** Time in milliseconds until the next attempt if the server is under load and must not open sessions yet. */
    private static final int RETRY_MS = 1;

    private final SessionHost<DefaultKcpChannel> host;
    private final FirstDatagramRules rules;
    private final SessionAcceptor acceptor;
    private final @Nullable PathRouter router;
    private final Runnable onIteration = this::openWaiting;
    private @Nullable WaitingPeers waiting;
    private @Nullable ScheduledFuture<?> scheduled;
    private long spentNanos;

    public FirstDatagramReader(SessionHost<DefaultKcpChannel> host, SessionFlusher service, AcceptSettings settings) {
        this.host = host;
        LoadLimits openings = new LoadLimits(host, settings);
        rules = new FirstDatagramRules(host, settings, openings);
        acceptor = new SessionAcceptor(host, service, settings, openings);
        ConversationIndex<DefaultKcpChannel> conversations = settings.conversations();
        router = conversations == null ? null
            : new PathRouter(host, conversations, settings.counts(), rules.tombstones(), openings.proofs());
    }

    public FirstDatagramRules rules() {
        return rules;
    }

    public SessionAcceptor acceptor() {
        return acceptor;
    }

    /** Returns the handler that finds the sessions of datagrams from unknown addresses, or null if sessions do not follow their peers. */
    public @Nullable PathRouter router() {
        return router;
    }

    /** Makes the whole time for opening sessions available to a new read batch. */
    public void onBatchBegin() {
        spentNanos = 0;
    }

    /** Schedules the opening of the sessions that wait after a read batch. */
    public void onBatchEnd() {
        scheduleIfWaiting(0);
    }

    /** Returns the number of datagrams that wait until their sessions are opened. */
    public int waitingDatagrams() {
        WaitingPeers queue = waiting;
        return queue == null ? 0 : queue.datagrams();
    }

    /**
     * Opens a session for a datagram that belongs to no session, and returns it. Returns null if the datagram was refused, which is
     * counted, or if a copy of the datagram waits until the session is opened. Borrows the packet.
     */
    public @Nullable DefaultKcpChannel open(DatagramPacket packet, int conv, long nowMs) {
        InetSocketAddress peer = packet.sender();
        ByteBuf datagram = packet.content();
        WaitingPeers queue = waiting;
        boolean mustWait = queue != null && !queue.isEmpty();
        if (queue != null && mustWait) {
            WaitingPeers.Opener opener = queue.find(peer, conv);
            if (opener != null) {
                append(queue, opener, datagram, nowMs);
                return null;
            }
        }
        DropReason refusal = rules.refusal(peer, datagram, nowMs);
        if (refusal != null) {
            acceptor.onRefused(peer, refusal);
            return null;
        }
        if (mustWait || spentNanos >= BUDGET_NANOS) {
            defer(peer, conv, datagram, nowMs);
            return null;
        }
        long beganNanos = host.loop().nowNanos();
        DefaultKcpChannel session = acceptor.accept(peer, datagram, nowMs);
        spentNanos += host.loop().nowNanos() - beganNanos;
        return session;
    }

    // ---- waiting peers

    private void append(WaitingPeers queue, WaitingPeers.Opener opener, ByteBuf datagram, long nowMs) {
        if (!queue.hasRoom(opener, datagram.readableBytes())) {
            if (!queue.hasRoom(datagram.readableBytes())) {
                acceptor.onQueueFull(nowMs);
            }
            host.drop(DropReason.OPENING_QUEUE_FULL);
            return;
        }
        ByteBuf copy = copy(datagram);
        try {
            queue.append(opener, copy, host.sessions().keyIndex());
        } catch (OutOfMemoryError shortage) {
            copy.release();
            throw shortage;
        }
    }

    private void defer(InetSocketAddress peer, int conv, ByteBuf datagram, long nowMs) {
        boolean proven = acceptor.isProven(peer, conv, nowMs);
        WaitingPeers queue = queue();
        if (!hasRoom(queue, datagram.readableBytes(), proven, nowMs)) {
            acceptor.onRefused(peer, DropReason.OPENING_QUEUE_FULL);
            return;
        }
        SessionCounts.Place place = acceptor.reserve(peer, proven, nowMs);
        if (place == null) {
            return;
        }
        ByteBuf copy = null;
        try {
            copy = copy(datagram);
            queue.add(peer, conv, place, proven, router == null ? null : router.receiver(), copy, host.sessions().keyIndex());
        } catch (RuntimeException | OutOfMemoryError failure) {
            acceptor.cancel(place, proven);
            if (copy != null) {
                copy.release();
            }
            throw failure;
        }
    }

    /** Copies a datagram, because a slice would keep a whole read buffer allocated. */
    private ByteBuf copy(ByteBuf datagram) {
        int bytes = datagram.readableBytes();
        return host.context().alloc().buffer(bytes, bytes).writeBytes(datagram, datagram.readerIndex(), bytes);
    }

    private WaitingPeers queue() {
        WaitingPeers queue = waiting;
        if (queue == null) {
            queue = new WaitingPeers(host.loop().memoryLimit(), host.loop().random());
            waiting = queue;
        }
        return queue;
    }

    /** Returns {@code true} if another peer may wait. A peer that has proved its address replaces peers that have not. */
    private boolean hasRoom(WaitingPeers queue, int bytes, boolean proven, long nowMs) {
        while (!queue.hasRoom(bytes)) {
            acceptor.onQueueFull(nowMs);
            WaitingPeers.Opener replaced = proven ? queue.pollUnproven() : null;
            if (replaced == null) {
                return false;
            }
            discard(replaced, DropReason.OPENING_QUEUE_FULL);
        }
        return true;
    }

    private void discard(WaitingPeers.Opener opener, DropReason reason) {
        for (WaitingPeers.Datagram datagram = opener.first(); datagram != null; datagram = datagram.next()) {
            host.drop(reason);
        }
        opener.release();
        acceptor.cancel(opener.place(), opener.isProven());
    }

    /** Refuses the waiting peers, because the server is closing or the handler is removed. */
    public void close() {
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            scheduled = null;
            task.cancel(false);
        }
        WaitingPeers queue = waiting;
        if (queue != null) {
            for (WaitingPeers.Opener opener = queue.poll(); opener != null; opener = queue.poll()) {
                discard(opener, DropReason.CLOSING);
            }
        }
    }

    // ---- opening sessions of waiting peers

    /**
     * Schedules the next task, unless one is scheduled. A task that is scheduled during a read batch runs in the same event-loop iteration.
     * If it is scheduled by the previous task, the event loop polls its sockets first.
     */
    private void scheduleIfWaiting(int delayMs) {
        WaitingPeers queue = waiting;
        if (queue != null && !queue.isEmpty() && scheduled == null) {
            scheduled = host.channel().eventLoop().schedule(onIteration, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    private void openWaiting() {
        scheduled = null;
        WaitingPeers queue = waiting;
        if (queue == null || !host.servingQueue().begin()) {
            // EmbeddedChannel also runs tasks during a read batch, which schedules the next task when it ends.
            return;
        }
        long nowMs = host.loop().recentNowMs();
        boolean mayOpen = true;
        spentNanos = 0;
        try {
            while (spentNanos < BUDGET_NANOS && !queue.isEmpty() && mayOpen) {
                long beganNanos = host.loop().nowNanos();
                mayOpen = acceptor.mayOpen(nowMs);
                if (mayOpen) {
                    openNext(queue, nowMs);
                    host.servingQueue().serveAdded();
                }
                spentNanos += host.loop().nowNanos() - beganNanos;
            }
        } finally {
            try {
                host.servingQueue().complete();
            } finally {
                scheduleIfWaiting(mayOpen ? 0 : RETRY_MS);
            }
        }
    }

    private void openNext(WaitingPeers queue, long nowMs) {
        WaitingPeers.Opener opener = queue.poll();
        if (opener == null) {
            return;
        }
        try {
            if (router != null) {
                router.receiver(opener.via());
            }
            readAll(opener, nowMs);
        } catch (RuntimeException failure) {
            host.context().fireExceptionCaught(failure);
        } catch (OutOfMemoryError shortage) {
            host.drop(DropReason.OUT_OF_MEMORY);
            acceptor.relieveMemory(shortage);
        } finally {
            if (router != null) {
                router.receiver(null);
            }
            opener.release();
        }
    }

    private void readAll(WaitingPeers.Opener opener, long nowMs) {
        WaitingPeers.Datagram first = opener.first();
        assert first != null;
        open(opener, first, nowMs);
        for (WaitingPeers.Datagram datagram = first; datagram != null; datagram = datagram.next()) {
            DefaultKcpChannel session = host.sessions().find(opener.peer(), opener.conv());
            if (session != null) {
                host.sessions().keyIndex(datagram.keyIndex());
                if (datagram != first) {
                    rules.onKnownSession(datagram.content(), nowMs);
                }
                host.read(session, datagram.content(), false);
            } else if (datagram != first) {
                host.drop(DropReason.NO_SESSION);
            }
        }
    }

    private void open(WaitingPeers.Opener opener, WaitingPeers.Datagram first, long nowMs) {
        boolean isOpen = true;
        try {
            // The application may have connected to the peer with the same conversation id while the first datagram waited.
            isOpen = host.sessions().find(opener.peer(), opener.conv()) != null;
        } finally {
            if (isOpen) {
                acceptor.cancel(opener.place(), opener.isProven());
            }
        }
        if (!isOpen) {
            acceptor.cancelUnvalidated(opener.isProven());
            host.sessions().keyIndex(first.keyIndex());
            acceptor.accept(opener.peer(), opener.place(), first.content(), nowMs);
        }
    }
}
