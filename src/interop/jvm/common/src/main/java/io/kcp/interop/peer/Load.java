package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Options, protocol and meter of a client, and the methods that all scenarios use. */
record Load(Options options, Protocol protocol, Meter meter) {

    private static final int OPENING_AT_ONCE = 64;
    private static final long OPENING_SECONDS = 60;

    void connect(SessionListener listener) throws Exception {
        protocol.connect(options.port(), listener);
    }

    /** Returns a direct buffer filled with pseudo-random bytes that are the same on each call. */
    ByteBuf block(int bytes) {
        ByteBuf block = Unpooled.directBuffer(bytes);
        SplittableRandom random = new SplittableRandom(1);
        while (block.isWritable(Long.BYTES)) {
            block.writeLongLE(random.nextLong());
        }
        return block.writeZero(block.writableBytes());
    }

    /**
     * Opens sessions and makes one round trip with a message of {@code bytes} on each session. Later messages are passed to
     * {@code afterwards}.
     */
    Session[] open(int count, int bytes, SessionListener afterwards) throws Exception {
        Session[] sessions = new Session[count];
        Semaphore room = new Semaphore(OPENING_AT_ONCE);
        for (int i = 0; i < count; i++) {
            int index = i;
            acquire(room, 1);
            connect(new SessionListener() {
                private boolean answered;

                @Override
                public void opened(Session session) {
                    session.write(session.alloc().directBuffer(bytes).writeZero(bytes));
                    session.flush();
                    meter.sent(bytes);
                }

                @Override
                public void received(Session session, ByteBuf message) {
                    if (answered) {
                        afterwards.received(session, message);
                        return;
                    }
                    answered = true;
                    meter.received(message.readableBytes());
                    sessions[index] = session;
                    room.release();
                }
            });
        }
        acquire(room, OPENING_AT_ONCE);
        return sessions;
    }

    private static void acquire(Semaphore room, int permits) throws InterruptedException {
        if (!room.tryAcquire(permits, OPENING_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("sessions received no response");
        }
    }

    /** Waits until the warm-up has ended, and then reports the growth of a counter during the measured time. */
    void measure(LongSupplier bytes) throws InterruptedException {
        Peer.sleepSeconds(options.warmup());
        JsonLine.event("measuring").print();
        long before = bytes.getAsLong();
        long start = System.nanoTime();
        Peer.sleepSeconds(options.seconds());
        long grown = bytes.getAsLong() - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        Peer.finish(JsonLine.event("result").put("bytes", grown).put("seconds", seconds).put("mb_s", grown / seconds / 1e6));
    }
}
