package io.kcp.bench.rig;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Client session whose messages begin with a stamp, such as the time for which a message of a fleet was scheduled. */
final class TimedSession extends ClientListener {

    /** Stamp of messages that are not measured, such as those sent during the warm-up. */
    static final long NOT_MEASURED = 0;

    private final int messageBytes;
    private final StampReader stamps;
    private @Nullable FirstRoundTrip first;
    private @Nullable Session session;
    private LongConsumer onReturn = stamp -> { };
    private Runnable onOpen = () -> { };

    /** Creates a session that sends messages of {@code messageBytes} bytes, at least eight. */
    TimedSession(Load load, int messageBytes) {
        super(load);
        this.messageBytes = messageBytes;
        if (messageBytes < Long.BYTES) {
            throw new IllegalArgumentException("--write-bytes " + messageBytes + ": at least " + Long.BYTES + " are required");
        }
        stamps = new StampReader(messageBytes);
    }

    /** Makes the session send a message as soon as it is open, and runs an action when the echo has arrived. */
    TimedSession withFirstRoundTrip(byte[] message, Runnable action) {
        first = new FirstRoundTrip(message, action);
        return this;
    }

    /** Sets an action that runs when the session is open. */
    TimedSession onOpen(Runnable action) {
        onOpen = action;
        return this;
    }

    /** Returns the open session. */
    Session session() {
        return Objects.requireNonNull(session, "the session is not open");
    }

    /** Returns the thread that calls the {@link #onReturn} callback, or null if the library has no event loops. */
    @Nullable ScheduledExecutorService loop() {
        return session().loop();
    }

    /** Sets the callback that receives the stamp of each returned message. Must be called before that message is sent. */
    void onReturn(LongConsumer receiver) {
        onReturn = receiver;
    }

    @Override
    public void opened(Session opened) {
        session = opened;
        FirstRoundTrip trip = first;
        if (trip != null) {
            load.meter().sent(trip.message.length, 1);
            opened.write(opened.alloc().directBuffer(trip.message.length).writeBytes(trip.message));
            opened.flush();
        }
        onOpen.run();
    }

    /** Sends a message. Called on the event loop, if there is one. */
    void send(long stamp) {
        Session open = session();
        load.meter().sent(messageBytes, 1);
        open.write(open.alloc().directBuffer(messageBytes).writeLong(stamp).writeZero(messageBytes - Long.BYTES));
        open.flush();
    }

    @Override
    public void received(Session from, ByteBuf piece) {
        int bytes = piece.readableBytes();
        FirstRoundTrip trip = first;
        if (trip == null) {
            while (stamps.next(piece)) {
                load.meter().received(messageBytes, 1);
                onReturn.accept(stamps.stamp());
            }
            piece.release();
        } else {
            load.meter().received(bytes, 1);
            if (trip.reply.completes(piece)) {
                first = null;
                trip.action.run();
            }
        }
    }

    /** The message that is sent first, its echo, and the action that follows. */
    private static final class FirstRoundTrip {

        private final byte[] message;
        private final ExpectedReply reply;
        private final Runnable action;

        FirstRoundTrip(byte[] message, Runnable action) {
            this.message = message;
            this.action = action;
            reply = new ExpectedReply(message);
        }
    }
}
