package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A one-way link of a {@link SimulatedNetwork}. Its {@link LinkProfile} defines rate, delay and impairments. */
public final class SimulatedLink {

    private final SimulatedNetwork network;
    private final int id;
    private final LinkProfile profile;
    private final LossModel lossModel;
    private final SplittableRandom random;
    private final LinkReceiver receiver;
    private final List<LinkObserver> observers = new ArrayList<>();
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long queuedBytes;
    private long busyUntilUs;
    private long latestArrivalUs;

    SimulatedLink(SimulatedNetwork network, int id, LinkProfile profile, long seed, LinkReceiver receiver) {
        this.network = network;
        this.id = id;
        this.profile = profile;
        this.receiver = receiver;
        random = new SplittableRandom(seed);
        lossModel = profile.newLossModel(random.nextLong());
    }

    /**
     * Adds an observer of every datagram that is sent over the link.
     *
     * @param observer the observer
     */
    public void addObserver(LinkObserver observer) {
        observers.add(observer);
    }

    /**
     * Sends a datagram over the link.
     *
     * @param datagram the datagram, <b>taken</b>
     */
    public void send(ByteBuf datagram) {
        long nowUs = network.nowUs();
        // Draws the same number of random values for every datagram, so that the outcome of one does not affect the next.
        double jitter = random.nextDouble();
        double duplicateJitter = random.nextDouble();
        boolean reordered = random.nextDouble() < profile.reorderProbability();
        boolean duplicated = random.nextDouble() < profile.duplicateProbability();
        boolean corrupted = random.nextDouble() < profile.corruptProbability();
        long corruption = random.nextLong();

        long departureUs = nowUs;
        LinkFate fate = corrupted ? LinkFate.CORRUPTED : duplicated ? LinkFate.DUPLICATED : LinkFate.DELIVERED;
        int linkBytes = datagram.readableBytes() + profile.framingBytes();
        if (datagram.readableBytes() > profile.mtuBytes()) {
            fate = LinkFate.TOO_LARGE;
        } else if (!hasRoom(linkBytes, nowUs)) {
            fate = LinkFate.QUEUE_FULL;
        } else {
            departureUs = transmit(linkBytes, nowUs);
            if (lossModel.drops(datagram, departureUs)) {
                fate = LinkFate.LOST;
            }
        }
        record(datagram, fate, nowUs);
        switch (fate) {
            case DELIVERED -> deliver(datagram, departureUs, jitter, reordered);
            case DUPLICATED -> {
                ByteBuf copy = datagram.copy();
                deliver(datagram, departureUs, jitter, reordered);
                deliver(copy, departureUs, duplicateJitter, false);
            }
            case CORRUPTED -> {
                int bit = (int) Long.remainderUnsigned(corruption, datagram.readableBytes() * 8L);
                int index = datagram.readerIndex() + (bit >> 3);
                datagram.setByte(index, datagram.getByte(index) ^ 1 << (bit & 7));
                deliver(datagram, departureUs, jitter, reordered);
            }
            default -> datagram.release();
        }
    }

    private void record(ByteBuf datagram, LinkFate fate, long nowUs) {
        TraceHash trace = network.trace();
        trace.add(nowUs);
        trace.add((long) id << 8 | fate.ordinal());
        trace.add(datagram);
        for (LinkObserver observer : observers) {
            observer.onSent(datagram, fate, nowUs);
        }
    }

    private boolean hasRoom(int linkBytes, long nowUs) {
        for (Waiting first = queue.peek(); first != null && first.startUs <= nowUs; first = queue.peek()) {
            queuedBytes -= first.linkBytes;
            queue.remove();
        }
        // A datagram that finds the link free is transmitted immediately and does not occupy the queue.
        return busyUntilUs <= nowUs
            || queue.size() < profile.queueDatagrams() && queuedBytes + linkBytes <= profile.queueBytes();
    }

    private long transmit(int linkBytes, long nowUs) {
        if (profile.rateBitsPerSecond() == 0) {
            return nowUs;
        }
        long startUs = Math.max(nowUs, busyUntilUs);
        if (startUs > nowUs) {
            queue.add(new Waiting(startUs, linkBytes));
            queuedBytes += linkBytes;
        }
        busyUntilUs = startUs + Math.max(1, linkBytes * 8_000_000L / profile.rateBitsPerSecond());
        return busyUntilUs;
    }

    private void deliver(ByteBuf datagram, long departureUs, double jitter, boolean reordered) {
        long arrivalUs = departureUs + profile.delayUs() + (long) (jitter * profile.jitterUs());
        if (profile.orderPreserved()) {
            arrivalUs = Math.max(arrivalUs, latestArrivalUs);
            latestArrivalUs = arrivalUs;
        }
        if (reordered) {
            arrivalUs += profile.reorderDelayUs();
        }
        network.schedule(arrivalUs, new Delivery(datagram, receiver));
    }

    private record Waiting(long startUs, int linkBytes) {
    }
}
