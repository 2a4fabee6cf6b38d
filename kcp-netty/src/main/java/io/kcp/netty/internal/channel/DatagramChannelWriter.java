package io.kcp.netty.internal.channel;

import io.kcp.core.ShardArrivals;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.AbstractSession;
import io.kcp.netty.internal.session.SessionQueue;
import io.kcp.netty.internal.socket.UnfragmentedSends;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.internal.ThrowableUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the datagrams of all sessions of one datagram channel to the channel. When a full socket becomes writable again, the
 * waiting sessions are resumed in the order in which they began to wait.
 */
public final class DatagramChannelWriter {

    /** Number of written datagrams after which the channel is flushed even if the current read batch has not ended. */
    private static final int FLUSH_AFTER_DATAGRAMS = 256;

    /** The result of a send that was not attempted, or that the socket has not completed. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // has no stack trace, and shall cost no allocation per probe
    private static final Throwable NOT_SENT = ThrowableUtil.unknownStackTrace(new IllegalStateException("not sent"),
        DatagramChannelWriter.class,
        "writeUnfragmented");

    private final ChannelHandlerContext context;
    private final LoopContext loop;
    private final SessionQueue.Blocked blocked = new SessionQueue.Blocked();
    private int written;
    /**
     * Number of bytes that handlers add in front of each datagram, or -1 before the first measurement. It is written after
     * the following fields, so that a thread that reads 0 or more also sees their values.
     */
    private volatile int headBytes = -1;
    private int tailBytes;
    private int inboundCipherBytes;
    private int fecDataShards;
    private @Nullable DatagramLayer fecLayer;
    private boolean authenticated;
    private @Nullable InetSocketAddress redirectedTo;
    private @Nullable UnfragmentedSends unfragmentedSends;
    private boolean unfragmentedSendsKnown;

    DatagramChannelWriter(ChannelHandlerContext context, LoopContext loop) {
        this.context = context;
        this.loop = loop;
    }

    /** Returns the number of bytes that the cipher and FEC add to each datagram. Any thread may call it. */
    public int overheadBytes() {
        measureOverhead();
        return headBytes + tailBytes;
    }

    /** Returns {@code true} if this side can send out-of-band messages, which requires FEC. Any thread may call it. */
    boolean sendsOob() {
        return fecDataShards() > 0;
    }

    /** Returns the number of data shards in each FEC group that this side sends, or 0 if it sends no parity. */
    int fecDataShards() {
        measureOverhead();
        return fecDataShards;
    }

    /** Returns the object that observes which FEC data shards of a session arrive, or null if FEC does not measure the loss. */
    @Nullable ShardArrivals shardArrivals(AbstractSession session) {
        measureOverhead();
        return fecLayer == null ? null : fecLayer.arrivals(session);
    }

    /** Returns {@code true} if a cipher authenticates all inbound datagrams. */
    boolean isAuthenticated() {
        measureOverhead();
        return authenticated;
    }

    /** Returns the minimum number of bytes that the cipher has removed from an inbound datagram. */
    public int inboundCipherBytes() {
        measureOverhead();
        return inboundCipherBytes;
    }

    public ByteBuf allocate(int datagramBytes) {
        measureOverhead();
        return loop.slab().carve(context.alloc(), headBytes + datagramBytes + tailBytes).setIndex(headBytes, headBytes);
    }

    /** Writes a datagram that was allocated by {@link #allocate}, <b>takes</b> it, and returns the unused end of its buffer to the slab. */
    public void write(ByteBuf datagram, AbstractSession session) {
        loop.slab().shorten(datagram, datagram.writerIndex() + tailBytes);
        InetSocketAddress recipient = redirectedTo;
        write(new KcpDatagram(datagram, recipient == null ? session.remoteAddress() : recipient, session));
    }

    /** Sets the address to which the next datagrams of sessions are sent, or null to send them to the addresses of the sessions. */
    public void redirect(@Nullable InetSocketAddress recipient) {
        redirectedTo = recipient;
    }

    /**
     * Writes a packet without flushing the channel, and <b>takes</b> the packet. A failure is reported to
     * {@code exceptionCaught} of the pipeline.
     */
    public void write(DatagramPacket packet) {
        written++;
        context.write(packet, context.voidPromise());
    }

    /** Returns the object that forbids the fragmentation of single datagrams, or null if the transport does not support it. */
    @Nullable UnfragmentedSends unfragmentedSends() {
        if (!unfragmentedSendsKnown) {
            unfragmentedSends = UnfragmentedSends.of(context.channel());
            unfragmentedSendsKnown = true;
        }
        return unfragmentedSends;
    }

    /**
     * Sends a probe for a larger MTU immediately, without an FEC header, so that routers must not fragment it. The datagrams that were
     * written before are sent first, because routers may fragment them.
     *
     * @param datagram the probe, allocated by {@link #allocate}, <b>taken</b>
     * @return null if the probe was sent, otherwise the reason
     */
    @Nullable Throwable writeUnfragmented(ByteBuf datagram, AbstractSession session, UnfragmentedSends sends) {
        flush();
        ChannelOutboundBuffer queue = context.channel().unsafe().outboundBuffer();
        if (queue == null || !queue.isEmpty() || !sends.forbid()) {
            datagram.release();
            return NOT_SENT;
        }
        ChannelPromise promise = context.newPromise();
        try {
            loop.slab().shorten(datagram, datagram.writerIndex() + tailBytes);
            context.writeAndFlush(KcpDatagram.mtuProbe(datagram, session.remoteAddress(), session), promise);
        } finally {
            sends.allow();
        }
        Throwable failure = promise.isDone() ? promise.cause() : NOT_SENT;
        if (failure instanceof IOException) {
            context.pipeline().fireExceptionCaught(failure);
        }
        return failure;
    }

    public void flush() {
        if (written > 0) {
            written = 0;
            context.flush();
        }
    }

    /** Flushes the channel if at least {@value #FLUSH_AFTER_DATAGRAMS} datagrams were written since the last flush. */
    void flushIfMany() {
        if (written >= FLUSH_AFTER_DATAGRAMS) {
            flush();
        }
    }

    private void measureOverhead() {
        if (headBytes >= 0) {
            return;
        }
        int head = 0;
        int tail = 0;
        int dataShards = 0;
        boolean aead = false;
        int inboundCipher = 0;
        for (Map.Entry<String, ChannelHandler> entry : context.pipeline()) {
            if (entry.getValue() instanceof DatagramLayer layer) {
                head += layer.headBytes();
                tail += layer.tailBytes();
                inboundCipher += layer.leastCipherBytes();
                aead |= layer.isAuthenticated();
                if (layer.dataShards() > 0) {
                    dataShards = layer.dataShards();
                    fecLayer = layer;
                }
            }
        }
        tailBytes = tail;
        inboundCipherBytes = inboundCipher;
        fecDataShards = dataShards;
        authenticated = aead;
        headBytes = head;
    }

    /** Returns {@code true} if the channel is writable. Flushes the channel first if it is not. */
    public boolean canWrite() {
        Channel channel = context.channel();
        if (!channel.isWritable()) {
            flush();
        }
        return channel.isWritable();
    }

    /** Queues a session, which is resumed when the socket becomes writable. */
    void block(AbstractSession session) {
        blocked.add(session);
    }

    /** Resumes all sessions that wait for the socket, except those that start to wait during this call. A session that fails is closed. */
    public void unblock() {
        long nowMs = loop.nowMs();
        for (int waiting = blocked.size(); waiting > 0; waiting--) {
            AbstractSession session = blocked.poll();
            if (session == null) {
                break;
            }
            try {
                session.onUnblocked(nowMs);
            } catch (RuntimeException | OutOfMemoryError failure) {
                session.failWith(failure);
            }
        }
        flush();
    }
}
