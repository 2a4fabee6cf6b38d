package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends messages at times fixed beforehand, each carrying the time it was due, so that one that leaves late counts as late.
 * {@link System#nanoTime()} is one clock for all processes of a Linux machine.
 */
final class DelaySender {

    /** Stamp of a message of the warm-up. */
    static final long NOT_MEASURED = 0;

    private final Channel channel;
    private final Plan plan;
    private final long firstNs;
    private final CompletableFuture<Long> sent = new CompletableFuture<>();
    private long messages;
    private long measuredMessages;

    private DelaySender(Channel channel, Plan plan, long firstNs) {
        this.channel = channel;
        this.plan = plan;
        this.firstNs = firstNs;
    }

    /** When messages are due, in terms of {@link System#nanoTime()}. */
    record Plan(long startNs, long measuredFromNs, long endNs, double periodNs, int messageBytes) {

        static Plan of(double ratePerSecond, double warmupSeconds, double seconds, int messageBytes) {
            double periodNs = 1e9 / ratePerSecond;
            long startNs = System.nanoTime() + (long) periodNs;
            long measuredFromNs = startNs + (long) (warmupSeconds * 1e9);
            return new Plan(startNs, measuredFromNs, measuredFromNs + (long) (seconds * 1e9), periodNs, messageBytes);
        }
    }

    /**
     * Starts to send.
     *
     * @param phase from 0 to 1, what part of a period the first message comes later
     * @return how many messages of the measured time were sent, when that is over
     */
    static CompletableFuture<Long> start(Channel channel, Plan plan, double phase) {
        DelaySender sender = new DelaySender(channel, plan, plan.startNs + (long) (phase * plan.periodNs));
        channel.eventLoop().execute(sender::send);
        return sender.sent;
    }

    private void send() {
        long nowNs = System.nanoTime();
        long dueNs = dueNs();
        boolean written = false;
        while (dueNs < plan.endNs && dueNs <= nowNs) {
            boolean measured = dueNs >= plan.measuredFromNs;
            ByteBuf message = channel.alloc().ioBuffer(plan.messageBytes);
            message.writeLong(measured ? dueNs : NOT_MEASURED).writeZero(plan.messageBytes - Long.BYTES);
            channel.write(message, channel.voidPromise());
            written = true;
            measuredMessages += measured ? 1 : 0;
            messages++;
            dueNs = dueNs();
        }
        if (written) {
            channel.flush();
        }
        if (dueNs >= plan.endNs) {
            sent.complete(measuredMessages);
        } else {
            channel.eventLoop().schedule(this::send, dueNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private long dueNs() {
        return firstNs + (long) (messages * plan.periodNs);
    }
}
