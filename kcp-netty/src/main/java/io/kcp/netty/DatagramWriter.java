package io.kcp.netty;

import io.kcp.netty.session.AbstractSession;
import io.kcp.netty.session.SessionQueue;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import java.util.Map;

/**
 * Writes the datagrams of all sessions of one {@link KcpHandler} to its channel. When a blocked socket is writable again, resumes the
 * waiting sessions in the order in which they began to wait.
 */
final class DatagramWriter {

    /** Number of written datagrams after which the channel is flushed even before the read batch ends. */
    private static final int FLUSH_AFTER_DATAGRAMS = 256;

    private final ChannelHandlerContext context;
    private final LoopContext loop;
    private final SessionQueue.Blocked blocked = new SessionQueue.Blocked();
    private int written;
    /** Written last, so that a thread that reads a value of at least 0 also sees the next two fields. */
    private volatile int headBytes = -1;
    private int tailBytes;
    private boolean sendsOob;

    DatagramWriter(ChannelHandlerContext context, LoopContext loop) {
        this.context = context;
        this.loop = loop;
    }

    /** Returns the number of bytes that the cipher and FEC add to each datagram. Any thread may call it. */
    int overheadBytes() {
        measureOverhead();
        return headBytes + tailBytes;
    }

    /** Returns {@code true} if this side can send out-of-band messages, which requires FEC. Any thread may call it. */
    boolean sendsOob() {
        measureOverhead();
        return sendsOob;
    }

    ByteBuf allocate(int datagramBytes) {
        measureOverhead();
        return loop.slab().carve(context.alloc(), headBytes + datagramBytes + tailBytes).setIndex(headBytes, headBytes);
    }

    /** Writes a datagram from {@link #allocate}, <b>takes</b> it, and returns its unused room to the slab. */
    void write(ByteBuf datagram, DefaultKcpChannel session) {
        loop.slab().shorten(datagram, datagram.writerIndex() + tailBytes);
        write(new KcpPacket(datagram, session.remoteAddress(), session));
    }

    /** Writes a packet without flushing, <b>takes</b> it. A failure is reported to {@link KcpHandler#exceptionCaught}. */
    void write(DatagramPacket packet) {
        written++;
        context.write(packet, context.voidPromise());
    }

    void flush() {
        if (written > 0) {
            written = 0;
            context.flush();
        }
    }

    /** Flushes if many datagrams were written since the last flush. */
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
        boolean oob = false;
        for (Map.Entry<String, ChannelHandler> entry : context.pipeline()) {
            if (entry.getValue() instanceof DatagramOverhead overhead) {
                head += overhead.headBytes();
                tail += overhead.tailBytes();
            }
            oob |= entry.getValue() instanceof FecCodec fec && fec.isSending();
        }
        tailBytes = tail;
        sendsOob = oob;
        headBytes = head;
    }

    /** Returns {@code true} if the socket accepts datagrams. Flushes the channel first if it is not writable. */
    boolean canWrite() {
        Channel channel = context.channel();
        if (!channel.isWritable()) {
            flush();
        }
        return channel.isWritable();
    }

    /** Queues a session until the socket is writable. */
    void block(DefaultKcpChannel session) {
        blocked.add(session);
    }

    /** Resumes the sessions that are waiting now, but not sessions that start to wait during this call. A session that fails is closed. */
    void unblock() {
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
