package io.kcp.netty;

import io.kcp.netty.session.AbstractSession;
import io.kcp.netty.session.SessionQueue;

/** The sessions that received datagrams in the current read batch. Each delivers its messages and sends segments when the batch ends. */
final class ReadBatch {

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

    /** Returns the number of datagrams in the current batch. */
    int datagrams() {
        return datagrams;
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
