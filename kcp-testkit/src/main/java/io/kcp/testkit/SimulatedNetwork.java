package io.kcp.testkit;

import java.util.PriorityQueue;

/**
 * Simulates a network on one thread, with a virtual clock in microseconds and a queue of scheduled tasks. It never reads a real clock. The
 * same seeds therefore produce the same run, datagram by datagram; {@link #traceHash()} can be compared to verify this.
 */
public final class SimulatedNetwork {

    private static final int RANK_ARRIVAL = 0;
    private static final int RANK_STEP = 1;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final TraceHash trace = new TraceHash();
    private long nowUs;
    private long order;
    private int links;

    /** Creates a network without links, at virtual time 0. */
    public SimulatedNetwork() {
    }

    /**
     * Returns the virtual time.
     *
     * @return the time in microseconds since the start of the run
     */
    public long nowUs() {
        return nowUs;
    }

    /**
     * Creates a one-way link.
     *
     * @param profile  the properties of the link
     * @param seed     the seed of all random decisions of the link
     * @param receiver the receiver at the other end of the link
     * @return the link
     */
    public SimulatedLink newLink(LinkProfile profile, long seed, LinkReceiver receiver) {
        return new SimulatedLink(this, links++, profile, seed, receiver);
    }

    /**
     * Schedules a task. Tasks that are due at the same time run in the order in which they were scheduled.
     *
     * @param atUs the virtual time in microseconds; a time in the past is treated as the current time
     * @param task the task
     */
    public void schedule(long atUs, Runnable task) {
        add(atUs, RANK_ARRIVAL, task);
    }

    /**
     * Schedules a task that runs after all datagrams that arrive at the same virtual time. An endpoint can thus process these datagrams as
     * a batch, as an event loop does at the end of a read.
     *
     * @param atUs the virtual time in microseconds; a time in the past is treated as the current time
     * @param task the task
     */
    public void scheduleAfterArrivals(long atUs, Runnable task) {
        add(atUs, RANK_STEP, task);
    }

    /**
     * Runs the next task if this task is due at or before a time limit. Otherwise advances the clock to the limit.
     *
     * @param limitUs the virtual time in microseconds
     * @return {@code true} if a task ran
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
     * Runs all tasks that are due until a given time, and advances the clock to that time.
     *
     * @param timeUs the virtual time in microseconds
     */
    public void runUntil(long timeUs) {
        boolean ran = true;
        while (ran) {
            ran = runNext(timeUs);
        }
    }

    /**
     * Returns a hash of the link, content, time and fate of all datagrams sent so far.
     *
     * @return the hash
     */
    public long traceHash() {
        return trace.value();
    }

    TraceHash trace() {
        return trace;
    }

    /** Ends the simulation by removing all scheduled tasks and releasing all datagrams in flight. */
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
