package io.kcp.netty;

import io.kcp.netty.session.AbstractSession;
import io.kcp.netty.session.SessionQueue;
import io.kcp.netty.socket.ReservedReads;
import io.netty.channel.Channel;

/** The sessions that received datagrams in the current read batch. Each delivers its messages and sends segments when the batch ends. */
final class ReadBatch {

    /** Number of datagrams in a read batch of an unknown allocator from which on more are presumably waiting in the socket. */
    private static final int FULL_BATCH = 256;

    private final SessionQueue.Batch sessions = new SessionQueue.Batch();
    private boolean reading;
    private boolean readRequested;
    private int datagrams;

    /** Counts a datagram. Returns {@code true} if it is the first one of a batch. */
    boolean begin() {
        boolean begins = !reading;
        datagrams++;
        reading = true;
        return begins;
    }

    boolean isReading() {
        return reading;
    }

    void add(AbstractSession session) {
        sessions.add(session);
    }

    /**
     * Adds a session whose pipeline has called {@code read()}. If the session is being served, as when the listener of an acknowledged
     * write calls {@code read()}, it delivers messages again before it sends.
     */
    void addReader(AbstractSession session) {
        if (session == sessions.first()) {
            readRequested = true;
        } else {
            sessions.add(session);
        }
    }

    /**
     * Returns {@code false} if the batch ended although datagrams were presumably left in the socket. Only the allocator of the read
     * buffers has counted the datagrams that did not reach this batch, such as FEC parity. An application that created the channel may
     * use another allocator.
     */
    boolean hasDrained(Channel socket) {
        return socket.config().getRecvByteBufAllocator() instanceof ReservedReads reads ? !reads.endedAtLimit() : datagrams < FULL_BATCH;
    }

    /** Serves all sessions of the batch, including those that are added meanwhile, and ends the batch. */
    void complete(PacketWriter writer) {
        try {
            serveAll(writer);
        } finally {
            reading = false;
            datagrams = 0;
            writer.flush();
        }
    }

    /** Serves all sessions of the batch, which then continues. */
    void serveAll(PacketWriter writer) {
        for (AbstractSession session = sessions.first(); session != null; session = sessions.first()) {
            serve(session);
            writer.flushIfMany();
        }
    }

    /**
     * Delivers the messages of a session and then sends its due segments. A failure closes the session. The session stays in the batch
     * until its messages are delivered, so that writes of its handlers do not add it again.
     */
    void serve(AbstractSession session) {
        try {
            try {
                do {
                    readRequested = false;
                    session.onBatch();
                } while (readRequested);
            } finally {
                sessions.pollIfFirst(session);
            }
            session.onBatchDelivered();
        } catch (RuntimeException | OutOfMemoryError failure) {
            session.failWith(failure);
        }
    }
}
