package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Options, protocol and counters of a client, and operations that several workloads share. */
record Load(Options options, Protocol protocol, Meter meter) {

    private static final int MAX_UNANSWERED = 64;
    private static final long TIMEOUT_SECONDS = 60;

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
     * Opens {@code count} sessions, and waits until each has sent a message of {@code bytes} bytes and received the echo. Passes all later
     * messages to {@code afterwards}.
     */
    Session[] open(int count, int bytes, SessionListener afterwards) throws Exception {
        Session[] sessions = new Session[count];
        Semaphore permits = new Semaphore(MAX_UNANSWERED);
        for (int i = 0; i < count; i++) {
            int index = i;
            acquire(permits, 1);
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
                    permits.release();
                }
            });
        }
        acquire(permits, MAX_UNANSWERED);
        return sessions;
    }

    private static void acquire(Semaphore permits, int count) throws InterruptedException {
        if (!permits.tryAcquire(count, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("new sessions received no response within " + TIMEOUT_SECONDS + " s");
        }
    }

    /** Waits for the warm-up, and then prints by how many bytes a counter has increased during the measured time. */
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
