package io.kcp.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.Queue;

/** A datagram socket of a {@link SimulatedHost}. The datagrams that arrive at the same time are read as a single batch. */
final class SimulatedSocket extends EmbeddedChannel {

    private final Queue<DatagramPacket> arrived = new ArrayDeque<>();
    private final Ticker ticker;
    private boolean reading;
    private boolean tasksFail;
    private long nextTaskNanos = Long.MAX_VALUE;

    SimulatedSocket(Ticker ticker, ByteBufAllocator allocator, ChannelHandler pipeline) {
        super(EmbeddedChannel.builder().ticker(ticker));
        this.ticker = ticker;
        config().setAllocator(allocator);
        config().setWriteBufferWaterMark(new WriteBufferWaterMark(2 << 20, 4 << 20));
        pipeline().addLast(pipeline);
    }

    /** Makes the event loop refuse tasks, as if it had no memory for them. */
    void tasksFail(boolean fail) {
        tasksFail = fail;
    }

    @Override
    public EventLoop eventLoop() {
        if (tasksFail) {
            throw new OutOfMemoryError("no memory for a task, thrown by the test");
        }
        return super.eventLoop();
    }

    /** Stores a datagram until the next read. */
    void arrive(DatagramPacket packet) {
        arrived.add(packet);
    }

    /** Begins a read with this datagram, or continues it. The read ends when {@link #run} is called. */
    void read(DatagramPacket packet) {
        reading = true;
        writeOneInbound(packet);
    }

    void readArrived() {
        while (!arrived.isEmpty()) {
            read(arrived.remove());
        }
    }

    /** Reads all datagrams that have arrived, and runs the tasks of the event loop. Returns {@code true} if any datagram was read. */
    boolean run() {
        readArrived();
        boolean any = reading;
        if (reading) {
            reading = false;
            flushInbound();
        }
        runPendingTasks();
        long delayNanos = runScheduledPendingTasks();
        nextTaskNanos = delayNanos < 0 ? Long.MAX_VALUE : ticker.nanoTime() + delayNanos;
        return any;
    }

    /** Returns the time of the next scheduled task, as of the last call of {@link #run}. */
    long nextTaskNanos() {
        return nextTaskNanos;
    }

    void releaseArrived() {
        while (!arrived.isEmpty()) {
            arrived.remove().release();
        }
    }
}
