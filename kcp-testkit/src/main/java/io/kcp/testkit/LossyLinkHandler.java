package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.Comparator;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Emulates a link with delay, loss, reordering and duplication in the pipeline of a datagram channel. The handler impairs the datagrams of
 * both directions as described by a {@link LinkProfile}. Use it in tests that run a real server and a real client:
 * <pre>{@code
 * LinkProfile link = LinkProfile.builder().delayMs(25).lossProbability(0.05).build();
 * client.datagramHandler(new LossyLinkHandler(link, 1));
 * }</pre>
 *
 * <p>The handler expects one datagram per message: a {@code ByteBuf} or a {@code ByteBufHolder} such as {@code DatagramPacket}. It forwards
 * other messages unchanged. {@code datagramHandler} of the bootstraps adds it in the right place. If you build the pipeline by hand, add it
 * after the handlers that send GSO batches (several datagrams with one system call).
 *
 * <p>Delays are real time, because they use the scheduled tasks and the clock of the event loop. A test with an {@code EmbeddedChannel}
 * can control this clock. The seed determines the fate of the n-th datagram in each direction. A lost outbound datagram completes its
 * promise successfully, as a datagram lost in the network does. Closing the channel discards all datagrams in flight.
 *
 * <p>Each channel needs a handler of its own. The public methods of this class that are not inherited may be called from any thread.
 */
public final class LossyLinkHandler extends ChannelDuplexHandler {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Direction inbound;
    private final Direction outbound;
    private long startNanos;
    private volatile long longestLatenessUs;

    /**
     * Creates a link with the same properties in both directions.
     *
     * @param link the properties of the link
     * @param seed the seed of all random decisions
     */
    public LossyLinkHandler(LinkProfile link, long seed) {
        this(link, link, seed);
    }

    /**
     * Creates a link.
     *
     * @param inbound  the properties of the link from the peer to this channel
     * @param outbound the properties of the link from this channel to the peer
     * @param seed     the seed of all random decisions
     */
    public LossyLinkHandler(LinkProfile inbound, LinkProfile outbound, long seed) {
        this.inbound = new Direction(Objects.requireNonNull(inbound, "inbound"), seed);
        this.outbound = new Direction(Objects.requireNonNull(outbound, "outbound"), seed ^ GOLDEN);
    }

    /**
     * Changes the properties of the link in both directions. The change applies to datagrams that are sent or received later.
     *
     * @param link the properties of the link
     */
    public void setLink(LinkProfile link) {
        setLink(link, link);
    }

    /**
     * Changes the properties of the link. The change applies to datagrams that are sent or received later.
     *
     * @param inboundLink  the properties of the link from the peer to this channel
     * @param outboundLink the properties of the link from this channel to the peer
     */
    public void setLink(LinkProfile inboundLink, LinkProfile outboundLink) {
        Objects.requireNonNull(inboundLink, "inboundLink");
        outbound.profile = Objects.requireNonNull(outboundLink, "outboundLink");
        inbound.profile = inboundLink;
    }

    /**
     * Returns the counters of the datagrams from the peer to this channel.
     *
     * @return the counters
     */
    public LinkCounts inboundCounts() {
        return inbound.counts;
    }

    /**
     * Returns the counters of the datagrams from this channel to the peer.
     *
     * @return the counters
     */
    public LinkCounts outboundCounts() {
        return outbound.counts;
    }

    /**
     * Returns the longest time by which a busy event loop was late in forwarding a datagram.
     *
     * @return the time in milliseconds
     */
    public long longestLatenessMs() {
        return TimeUnit.MICROSECONDS.toMillis(longestLatenessUs);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        startNanos = nanoTime(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        inbound.discardAll();
        outbound.discardAll();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf datagram = datagram(message);
        if (datagram == null) {
            context.fireChannelRead(message);
            return;
        }
        long nowUs = nowUs(context);
        switch (inbound.next(datagram, nowUs)) {
            case DELIVERED -> receive(context, message, inbound.arrivalUs(), nowUs);
            case CORRUPTED -> receive(context, inbound.corrupted(message), inbound.arrivalUs(), nowUs);
            case DUPLICATED -> {
                Object copy = copy(message);
                long copyArrivalUs = inbound.copyArrivalUs();
                receive(context, message, inbound.arrivalUs(), nowUs);
                receive(context, copy, copyArrivalUs, nowUs);
            }
            default -> ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ByteBuf datagram = datagram(message);
        if (datagram == null) {
            context.write(message, promise);
            return;
        }
        long nowUs = nowUs(context);
        switch (outbound.next(datagram, nowUs)) {
            case DELIVERED -> send(context, message, promise, outbound.arrivalUs(), nowUs);
            case CORRUPTED -> send(context, outbound.corrupted(message), promise, outbound.arrivalUs(), nowUs);
            case DUPLICATED -> {
                Object copy = copy(message);
                long copyArrivalUs = outbound.copyArrivalUs();
                send(context, message, promise, outbound.arrivalUs(), nowUs);
                send(context, copy, context.newPromise(), copyArrivalUs, nowUs);
            }
            default -> {
                ReferenceCountUtil.release(message);
                promise.trySuccess();
            }
        }
    }

    private void receive(ChannelHandlerContext context, Object message, long dueUs, long nowUs) {
        if (dueUs <= nowUs && inbound.inFlight.isEmpty()) {
            context.fireChannelRead(message);
        } else {
            delay(context, inbound, new InFlight(message, null, dueUs, inbound.order++), nowUs, this::receiveDue);
        }
    }

    private void send(ChannelHandlerContext context, Object message, ChannelPromise promise, long dueUs, long nowUs) {
        if (dueUs <= nowUs && outbound.inFlight.isEmpty()) {
            context.write(message, promise);
        } else {
            delay(context, outbound, new InFlight(message, promise, dueUs, outbound.order++), nowUs, this::sendDue);
        }
    }

    private static void delay(ChannelHandlerContext context, Direction direction, InFlight delayed, long nowUs, Forwarding forwarding) {
        direction.inFlight.add(delayed);
        try {
            context.executor().schedule(() -> forwarding.forwardDue(context), delayed.dueUs - nowUs, TimeUnit.MICROSECONDS);
        } catch (RejectedExecutionException eventLoopIsShutDown) {
            direction.inFlight.remove(delayed);
            delayed.discard();
        }
    }

    private void receiveDue(ChannelHandlerContext context) {
        boolean received = false;
        for (InFlight due = nextDue(context, inbound); due != null; due = nextDue(context, inbound)) {
            context.fireChannelRead(due.message);
            received = true;
        }
        if (received) {
            context.fireChannelReadComplete();
        }
    }

    private void sendDue(ChannelHandlerContext context) {
        boolean sent = false;
        for (InFlight due = nextDue(context, outbound); due != null; due = nextDue(context, outbound)) {
            context.write(due.message, due.promise == null ? context.newPromise() : due.promise);
            sent = true;
        }
        if (sent) {
            context.flush();
        }
    }

    private @Nullable InFlight nextDue(ChannelHandlerContext context, Direction direction) {
        InFlight first = direction.inFlight.peek();
        long nowUs = nowUs(context);
        if (first == null || first.dueUs > nowUs) {
            return null;
        }
        longestLatenessUs = Math.max(longestLatenessUs, nowUs - first.dueUs);
        return direction.inFlight.remove();
    }

    private long nowUs(ChannelHandlerContext context) {
        return TimeUnit.NANOSECONDS.toMicros(nanoTime(context) - startNanos);
    }

    private static long nanoTime(ChannelHandlerContext context) {
        return context.executor().ticker().nanoTime();
    }

    private static @Nullable ByteBuf datagram(Object message) {
        return message instanceof ByteBufHolder holder ? holder.content() : message instanceof ByteBuf buffer ? buffer : null;
    }

    private static Object copy(Object message) {
        return message instanceof ByteBufHolder holder ? holder.copy() : ((ByteBuf) message).copy();
    }

    /** Forwards all datagrams of one direction whose delay has elapsed. */
    @FunctionalInterface
    private interface Forwarding {

        void forwardDue(ChannelHandlerContext context);
    }

    /** The state of one direction of the link. */
    private static final class Direction {

        private final long seed;
        private final PriorityQueue<InFlight> inFlight = new PriorityQueue<>(
            Comparator.comparingLong((InFlight delayed) -> delayed.dueUs).thenComparingLong(delayed -> delayed.order));
        private volatile LinkProfile profile;
        private volatile LinkCounts counts = LinkCounts.NONE;
        private Impairments impairments;
        private int changes;
        private long order;

        Direction(LinkProfile profile, long seed) {
            this.seed = seed;
            this.profile = profile;
            impairments = new Impairments(profile, seed);
        }

        LinkFate next(ByteBuf datagram, long nowUs) {
            LinkProfile current = profile;
            if (impairments.profile() != current) {
                impairments = new Impairments(current, seed + ++changes);
            }
            LinkFate fate = impairments.next(datagram, nowUs);
            counts = counts.plus(datagram.readableBytes(), fate, impairments.isReordered());
            return fate;
        }

        long arrivalUs() {
            return impairments.arrivalUs();
        }

        long copyArrivalUs() {
            return impairments.copyArrivalUs();
        }

        /** Replaces a message with a copy in which one bit is inverted. The original content may be shared with the sender. */
        Object corrupted(Object message) {
            Object copy = copy(message);
            ReferenceCountUtil.release(message);
            impairments.corrupt(Objects.requireNonNull(datagram(copy)));
            return copy;
        }

        void discardAll() {
            for (InFlight delayed = inFlight.poll(); delayed != null; delayed = inFlight.poll()) {
                delayed.discard();
            }
        }
    }

    /** A delayed datagram. It is outbound if it has a promise. */
    private record InFlight(Object message, @Nullable ChannelPromise promise, long dueUs, long order) {

        void discard() {
            ReferenceCountUtil.release(message);
            if (promise != null) {
                promise.tryFailure(new ClosedChannelException());
            }
        }
    }
}
