package io.kcp.core;

import java.util.PriorityQueue;

/**
 * A network in one thread: a virtual clock in microseconds and the events that wait for it. Nothing here reads a real
 * clock, so a run takes as long as its events take to compute, and the same seeds give the same run, datagram by
 * datagram; {@link #traceHash()} proves it.
 */
public final class SimulatedNetwork {

    private static final int RANK_ARRIVAL = 0;
    private static final int RANK_STEP = 1;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final TraceHash trace = new TraceHash();
    private long nowUs;
    private long order;
    private int links;

    /**
     * Returns the virtual time.
     *
     * @return microseconds since the start of the run
     */
    public long nowUs() {
        return nowUs;
    }

    /**
     * Creates a one-way link.
     *
     * @param profile  what it does to datagrams
     * @param seed     seed of everything random in it
     * @param receiver its far end
     * @return the link
     */
    public SimulatedLink newLink(LinkProfile profile, long seed, LinkReceiver receiver) {
        return new SimulatedLink(this, links++, profile, seed, receiver);
    }

    /**
     * Runs a task at a time. Tasks of one instant run in the order in which they were scheduled.
     *
     * @param atUs virtual time in microseconds; a time in the past means now
     * @param task the task
     */
    public void schedule(long atUs, Runnable task) {
        add(atUs, RANK_ARRIVAL, task);
    }

    /**
     * Runs a task at a time, after everything that arrives in the same instant: where an endpoint acts on a whole batch,
     * as a driver does at the end of a read.
     *
     * @param atUs virtual time in microseconds; a time in the past means now
     * @param task the task
     */
    public void scheduleAfterArrivals(long atUs, Runnable task) {
        add(atUs, RANK_STEP, task);
    }

    /**
     * Runs the next event, unless it lies beyond a limit; then the clock moves to the limit.
     *
     * @param limitUs virtual time in microseconds
     * @return whether an event ran
     */
    public boolean runNext(long limitUs) {
        Event event = events.peek();
        if (event == null || event.atUs > limitUs) {
            nowUs = Math.max(nowUs, limitUs);
            return false;
        }
        events.poll();
        nowUs = event.atUs;
        event.task.run();
        return true;
    }

    /**
     * Runs everything up to a time.
     *
     * @param timeUs virtual time in microseconds
     */
    public void runUntil(long timeUs) {
        boolean ran = true;
        while (ran) {
            ran = runNext(timeUs);
        }
    }

    /**
     * Returns a number that stands for every datagram so far: its link, bytes, time and fate.
     *
     * @return the hash
     */
    public long traceHash() {
        return trace.value();
    }

    TraceHash trace() {
        return trace;
    }

    /** Ends the run: forgets all events and releases the datagrams that are under way. */
    public void release() {
        for (Event event = events.poll(); event != null; event = events.poll()) {
            if (event.task instanceof Delivery delivery) {
                delivery.datagram().release();
            }
        }
    }

    private void add(long atUs, int rank, Runnable task) {
        events.add(new Event(Math.max(atUs, nowUs), rank, order++, task));
    }

    private record Event(long atUs, int rank, long order, Runnable task) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            if (atUs != other.atUs) {
                return Long.compare(atUs, other.atUs);
            }
            return rank != other.rank ? Integer.compare(rank, other.rank) : Long.compare(order, other.order);
        }
    }
}
