package io.kcp.netty;

import io.kcp.netty.admission.SessionCounts;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions for first datagrams, for at most {@value #BUDGET_NANOS} ns in each read batch of the socket. Opening a session takes some
 * 60 µs, so hundreds of peers that connect at the same time would otherwise delay the open sessions by tens of milliseconds. The remaining
 * first datagrams wait in an {@link OpeningQueue}. A task opens their sessions within the same limit, once per event-loop iteration: first
 * after the read batch in the same iteration, and then in the next iterations, each time after the event loop has polled its sockets. If
 * the server is under load and has used up its time or its sessions per second, the peers wait longer.
 *
 * <p>Each socket has its own limits, also if several sockets share an event loop. A datagram that is dropped because the queue is full puts
 * the server under load.
 *
 * <p>The session limits are applied before a datagram waits, and waiting peers count as sessions. The {@link AcceptFilter} is called when
 * the session is opened. Until then, FEC does not see the datagrams of the peer.
 */
final class SessionOpener {

    /** Maximum time in nanoseconds for opening sessions in one read batch or one task. */
    static final long BUDGET_NANOS = 1_000_000;
    /** Time in milliseconds until the next attempt if the server is under load and must not open sessions yet. */
    private static final int RETRY_MS = 1;

    private final KcpHandler handler;
    private final SessionGate gate;
    private final SessionAcceptor acceptor;
    private final ReadBatch batch;
    private final Runnable onIteration = this::openWaiting;
    private @Nullable OpeningQueue waiting;
    private @Nullable ScheduledFuture<?> scheduled;
    private long spentNanos;

    SessionOpener(KcpHandler handler, SessionGate gate, SessionAcceptor acceptor, ReadBatch batch) {
        this.handler = handler;
        this.gate = gate;
        this.acceptor = acceptor;
        this.batch = batch;
    }

    /** Makes the whole time for opening sessions available to a new read batch. */
    void onBatchBegin() {
        spentNanos = 0;
    }

    /** Schedules the opening of the sessions that wait after a read batch. */
    void onBatchEnd() {
        scheduleIfWaiting(0);
    }

    /** Returns the number of datagrams that wait until their sessions are opened. */
    int waitingDatagrams() {
        OpeningQueue queue = waiting;
        return queue == null ? 0 : queue.datagrams();
    }

    /**
     * Opens a session for a datagram that belongs to no session, and returns it. Returns null if the datagram was refused, which is
     * counted, or if a copy of the datagram waits until the session is opened. Borrows the packet.
     */
    @Nullable DefaultKcpChannel open(ChannelHandlerContext context, DatagramPacket packet, int conv, long nowMs) {
        InetSocketAddress peer = packet.sender();
        ByteBuf datagram = packet.content();
        OpeningQueue queue = waiting;
        boolean mustWait = queue != null && !queue.isEmpty();
        if (queue != null && mustWait) {
            OpeningQueue.Opener opener = queue.find(peer, conv);
            if (opener != null) {
                append(queue, opener, datagram, nowMs);
                return null;
            }
        }
        DropReason refusal = gate.refusal(peer, datagram, nowMs);
        if (refusal != null) {
            handler.onRefused(context, peer, refusal);
            return null;
        }
        if (mustWait || spentNanos >= BUDGET_NANOS) {
            defer(context, peer, conv, datagram, nowMs);
            return null;
        }
        long beganNanos = handler.loop().nowNanos();
        DefaultKcpChannel session = acceptor.accept(context, peer, datagram, nowMs);
        spentNanos += handler.loop().nowNanos() - beganNanos;
        return session;
    }

    // ---- waiting peers

    private void append(OpeningQueue queue, OpeningQueue.Opener opener, ByteBuf datagram, long nowMs) {
        if (!queue.hasRoom(opener, datagram.readableBytes())) {
            if (!queue.hasRoom(datagram.readableBytes())) {
                acceptor.onQueueFull(nowMs);
            }
            handler.drop(DropReason.OPENING_QUEUE_FULL);
            return;
        }
        ByteBuf copy = copy(datagram);
        try {
            queue.append(opener, copy, handler.sessions().keyIndex());
        } catch (OutOfMemoryError shortage) {
            copy.release();
            throw shortage;
        }
    }

    private void defer(ChannelHandlerContext context, InetSocketAddress peer, int conv, ByteBuf datagram, long nowMs) {
        boolean proven = acceptor.isProven(peer, conv, nowMs);
        OpeningQueue queue = queue();
        if (!hasRoom(queue, datagram.readableBytes(), proven, nowMs)) {
            handler.onRefused(context, peer, DropReason.OPENING_QUEUE_FULL);
            return;
        }
        SessionCounts.Place place = acceptor.reserve(context, peer, proven, nowMs);
        if (place == null) {
            return;
        }
        ByteBuf copy = null;
        try {
            copy = copy(datagram);
            PathRouter router = handler.router();
            queue.add(peer, conv, place, proven, router == null ? null : router.receiver(), copy, handler.sessions().keyIndex());
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
        return handler.context().alloc().buffer(bytes, bytes).writeBytes(datagram, datagram.readerIndex(), bytes);
    }

    private OpeningQueue queue() {
        OpeningQueue queue = waiting;
        if (queue == null) {
            queue = new OpeningQueue(handler.loop().held(), handler.loop().random());
            waiting = queue;
        }
        return queue;
    }

    /** Returns {@code true} if another peer may wait. A peer that has proved its address replaces peers that have not. */
    private boolean hasRoom(OpeningQueue queue, int bytes, boolean proven, long nowMs) {
        while (!queue.hasRoom(bytes)) {
            acceptor.onQueueFull(nowMs);
            OpeningQueue.Opener replaced = proven ? queue.pollUnproven() : null;
            if (replaced == null) {
                return false;
            }
            discard(replaced, DropReason.OPENING_QUEUE_FULL);
        }
        return true;
    }

    private void discard(OpeningQueue.Opener opener, DropReason reason) {
        for (OpeningQueue.Datagram datagram = opener.first(); datagram != null; datagram = datagram.next()) {
            handler.drop(reason);
        }
        opener.release();
        acceptor.cancel(opener.place(), opener.isProven());
    }

    /** Refuses the waiting peers, because the server is closing or the handler is removed. */
    void close() {
        ScheduledFuture<?> task = scheduled;
        if (task != null) {
            scheduled = null;
            task.cancel(false);
        }
        OpeningQueue queue = waiting;
        if (queue != null) {
            for (OpeningQueue.Opener opener = queue.poll(); opener != null; opener = queue.poll()) {
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
        OpeningQueue queue = waiting;
        if (queue != null && !queue.isEmpty() && scheduled == null) {
            scheduled = handler.datagramChannel().eventLoop().schedule(onIteration, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    private void openWaiting() {
        scheduled = null;
        OpeningQueue queue = waiting;
        if (queue == null || !batch.begin()) {
            // EmbeddedChannel also runs tasks during a read batch, which schedules the next task when it ends.
            return;
        }
        long nowMs = handler.loop().recentNowMs();
        boolean mayOpen = true;
        spentNanos = 0;
        try {
            while (spentNanos < BUDGET_NANOS && !queue.isEmpty() && mayOpen) {
                long beganNanos = handler.loop().nowNanos();
                mayOpen = acceptor.mayOpen(nowMs);
                if (mayOpen) {
                    openNext(queue, nowMs);
                    batch.serveAdded();
                }
                spentNanos += handler.loop().nowNanos() - beganNanos;
            }
        } finally {
            try {
                batch.complete();
            } finally {
                scheduleIfWaiting(mayOpen ? 0 : RETRY_MS);
            }
        }
    }

    private void openNext(OpeningQueue queue, long nowMs) {
        OpeningQueue.Opener opener = queue.poll();
        if (opener == null) {
            return;
        }
        ChannelHandlerContext context = handler.context();
        PathRouter router = handler.router();
        try {
            if (router != null) {
                router.receiver(opener.via());
            }
            readAll(context, opener, nowMs);
        } catch (RuntimeException | OutOfMemoryError failure) {
            handler.exceptionCaught(context, failure);
        } finally {
            if (router != null) {
                router.receiver(null);
            }
            opener.release();
        }
    }

    private void readAll(ChannelHandlerContext context, OpeningQueue.Opener opener, long nowMs) {
        OpeningQueue.Datagram first = opener.first();
        assert first != null;
        open(context, opener, first, nowMs);
        for (OpeningQueue.Datagram datagram = first; datagram != null; datagram = datagram.next()) {
            DefaultKcpChannel session = handler.sessions().find(opener.peer(), opener.conv());
            if (session != null) {
                handler.sessions().keyIndex(datagram.keyIndex());
                if (datagram != first) {
                    gate.onKnownSession(datagram.content(), nowMs);
                }
                handler.read(session, datagram.content(), false, nowMs);
            } else if (datagram != first) {
                handler.drop(DropReason.NO_SESSION);
            }
        }
    }

    private void open(ChannelHandlerContext context, OpeningQueue.Opener opener, OpeningQueue.Datagram first, long nowMs) {
        boolean isOpen = true;
        try {
            // The application may have connected to the peer with the same conversation id while the first datagram waited.
            isOpen = handler.sessions().find(opener.peer(), opener.conv()) != null;
        } finally {
            if (isOpen) {
                acceptor.cancel(opener.place(), opener.isProven());
            }
        }
        if (!isOpen) {
            acceptor.cancelUnvalidated(opener.isProven());
            handler.sessions().keyIndex(first.keyIndex());
            acceptor.accept(context, opener.peer(), opener.place(), first.content(), nowMs);
        }
    }
}
