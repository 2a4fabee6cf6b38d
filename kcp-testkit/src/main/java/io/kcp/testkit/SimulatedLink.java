package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** A one-way link of a {@link SimulatedNetwork}. Its {@link LinkProfile} defines rate, delay and impairments. */
public final class SimulatedLink {

    private final SimulatedNetwork network;
    private final int id;
    private final Impairments impairments;
    private final LinkReceiver receiver;
    private final List<LinkObserver> observers = new ArrayList<>();

    SimulatedLink(SimulatedNetwork network, int id, LinkProfile profile, long seed, LinkReceiver receiver) {
        this.network = network;
        this.id = id;
        this.receiver = receiver;
        impairments = new Impairments(profile, seed);
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
        LinkFate fate = impairments.next(datagram, nowUs);
        record(datagram, fate, nowUs);
        switch (fate) {
            case DELIVERED -> deliver(datagram, impairments.arrivalUs());
            case DUPLICATED -> {
                ByteBuf copy = datagram.copy();
                deliver(datagram, impairments.arrivalUs());
                deliver(copy, impairments.copyArrivalUs());
            }
            case CORRUPTED -> {
                impairments.corrupt(datagram);
                deliver(datagram, impairments.arrivalUs());
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

    private void deliver(ByteBuf datagram, long arrivalUs) {
        network.schedule(arrivalUs, new Delivery(datagram, receiver));
    }
}
