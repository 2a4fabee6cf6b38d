package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends valid first datagrams of 24 bytes, each with a different conversation id, to a local server. Never reads responses. */
final class OpenerFlood implements AutoCloseable {

    private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int BURST = 20;

    private final List<DatagramChannel> sources = new ArrayList<>();
    private final ByteBuf opener = Unpooled.directBuffer(SegmentHeader.LENGTH);
    private final SplittableRandom random = new SplittableRandom(19);
    private final InetSocketAddress target;
    private volatile int sent;
    private volatile boolean stopped;

    /**
     * Binds one socket for each source address.
     *
     * @param addresses the local addresses to send from
     */
    OpenerFlood(InetSocketAddress target, List<String> addresses) throws IOException {
        this.target = target;
        for (String address : addresses) {
            sources.add(DatagramChannel.open().bind(new InetSocketAddress(address, 0)));
        }
    }

    /** Returns the number of datagrams sent so far. */
    int sent() {
        return sent;
    }

    /**
     * Sends {@code perSecond} datagrams per second, or fewer if this machine is too slow, until {@link #stop} is called. A delay is not
     * made up for: on a busy machine, the server would otherwise receive as many datagrams as this thread can send.
     */
    void send(int perSecond) {
        long periodNanos = TimeUnit.SECONDS.toNanos(BURST) / perSecond;
        long dueNanos = System.nanoTime();
        while (!stopped) {
            for (int i = 0; i < BURST; i++) {
                sendOne();
            }
            sent += BURST;
            dueNanos = Math.max(dueNanos, System.nanoTime() - MAX_DELAY_NANOS) + periodNanos;
            for (long waitNanos = dueNanos - System.nanoTime(); waitNanos > 0; waitNanos = dueNanos - System.nanoTime()) {
                LockSupport.parkNanos(waitNanos);
            }
        }
    }

    void stop() {
        stopped = true;
    }

    private void sendOne() {
        opener.clear();
        SegmentHeader.write(opener, random.nextInt(), SegmentHeader.CMD_PUSH, 0, 128, random.nextInt(), 0, 0, 0);
        ByteBuffer bytes = opener.nioBuffer();
        try {
            sources.get(random.nextInt(sources.size())).send(bytes, target);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() throws IOException {
        for (DatagramChannel source : sources) {
            source.close();
        }
        opener.release();
    }
}
