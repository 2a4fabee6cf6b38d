package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Emulates a link with delay, loss, reordering and duplication in the pipeline of a datagram channel. It impairs the datagrams of both
 * directions as a {@link LinkProfile} describes. Use it in tests that run a real server and a real client:
 * <pre>{@code
 * LinkProfile link = LinkProfile.builder().delayMs(25).lossProbability(0.05).build();
 * client.datagramHandler(new LossyLinkHandler(link, 1));
 * }</pre>
 *
 * <p>The handler expects one datagram per message: a {@code ByteBuf} or a {@code ByteBufHolder} such as {@code DatagramPacket}. It forwards
 * other messages unchanged. {@code datagramHandler} of the bootstraps adds it in the right place. If you build the pipeline by hand, add it
 * after the handlers that send runs of datagrams.
 *
 * <p>Delays are real time. They use the scheduled tasks of the event loop, and the clock of the event loop, which a test of an
 * {@code EmbeddedChannel} can control. The seed determines the fate of the n-th datagram in each direction. A lost outbound datagram
 * completes its promise successfully, as a datagram lost in the network does. Closing the channel discards all datagrams in flight.
 *
 * <p>Each channel needs a handler of its own. Methods of this class may be called from any thread.
 */
public final class LossyLinkHandler extends ChannelDuplexHandler {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Direction inbound;
    private final Direction outbound;
    private final Set<InFlight> inFlight = new HashSet<>();
    private long startNanos;

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

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        startNanos = nanoTime(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        inFlight.forEach(InFlight::discard);
        inFlight.clear();
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
            case DELIVERED -> receive(context, message, inbound.delayUs(nowUs));
            case CORRUPTED -> receive(context, inbound.corrupted(message), inbound.delayUs(nowUs));
            case DUPLICATED -> {
                Object copy = copy(message);
                receive(context, message, inbound.delayUs(nowUs));
                receive(context, copy, inbound.copyDelayUs(nowUs));
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
            case DELIVERED -> send(context, message, promise, outbound.delayUs(nowUs));
            case CORRUPTED -> send(context, outbound.corrupted(message), promise, outbound.delayUs(nowUs));
            case DUPLICATED -> {
                Object copy = copy(message);
                send(context, message, promise, outbound.delayUs(nowUs));
                send(context, copy, context.newPromise(), outbound.copyDelayUs(nowUs));
            }
            default -> {
                ReferenceCountUtil.release(message);
                promise.trySuccess();
            }
        }
    }

    private void receive(ChannelHandlerContext context, Object message, long delayUs) {
        if (delayUs <= 0) {
            context.fireChannelRead(message);
        } else {
            delay(context, new InFlight(context, message, null), delayUs);
        }
    }

    private void send(ChannelHandlerContext context, Object message, ChannelPromise promise, long delayUs) {
        if (delayUs <= 0) {
            context.write(message, promise);
        } else {
            delay(context, new InFlight(context, message, promise), delayUs);
        }
    }

    private void delay(ChannelHandlerContext context, InFlight delayed, long delayUs) {
        inFlight.add(delayed);
        try {
            context.executor().schedule(delayed, delayUs, TimeUnit.MICROSECONDS);
        } catch (RejectedExecutionException eventLoopIsShutDown) {
            inFlight.remove(delayed);
            delayed.discard();
        }
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

    /** The state of one direction. */
    private static final class Direction {

        private final long seed;
        private volatile LinkProfile profile;
        private volatile LinkCounts counts = LinkCounts.NONE;
        private Impairments impairments;
        private int changes;

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

        long delayUs(long nowUs) {
            return impairments.arrivalUs() - nowUs;
        }

        long copyDelayUs(long nowUs) {
            return impairments.copyArrivalUs() - nowUs;
        }

        /** Replaces a message by a copy with one inverted bit. The original content may be shared with the sender. */
        Object corrupted(Object message) {
            Object copy = copy(message);
            ReferenceCountUtil.release(message);
            impairments.corrupt(Objects.requireNonNull(datagram(copy)));
            return copy;
        }
    }

    /** A delayed datagram. It is outbound if it has a promise. */
    private final class InFlight implements Runnable {

        private final ChannelHandlerContext context;
        private final Object message;
        private final @Nullable ChannelPromise promise;

        InFlight(ChannelHandlerContext context, Object message, @Nullable ChannelPromise promise) {
            this.context = context;
            this.message = message;
            this.promise = promise;
        }

        @Override
        public void run() {
            if (!inFlight.remove(this)) {
                return;
            }
            if (promise != null) {
                context.writeAndFlush(message, promise);
            } else {
                context.fireChannelRead(message);
                context.fireChannelReadComplete();
            }
        }

        void discard() {
            ReferenceCountUtil.release(message);
            if (promise != null) {
                promise.tryFailure(new ClosedChannelException());
            }
        }
    }
}
