package io.kcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Hands runs of datagrams to the kernel as one (UDP generic segmentation offload, GSO): datagrams of equal size for one peer
 * that lie one behind the other in memory, as {@link KcpHandler} writes them; the last may be shorter. It stands before all
 * other handlers, nearest to the socket. On a channel that cannot send runs it passes everything on.
 *
 * <p>That a route cannot take a run (its device makes no checksums, its MTU is smaller) shows only when the run is sent. Its
 * datagrams then go one by one, and so does all that the session sends from then on, or all of the socket.
 *
 * <p>One instance belongs to one channel.
 */
public final class DatagramCoalescer extends ChannelOutboundHandlerAdapter {

    /** The most datagrams that Linux takes as one. */
    public static final int MAX_DATAGRAMS = 64;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DatagramCoalescer.class);
    /** The length of an IP packet has 16 bits, and headers count. */
    private static final int MAX_RUN_BYTES = 65_000;
    private static final int EIO = -5;
    private static final int EINVAL = -22;
    private static final int EMSGSIZE = -90;
    private static final int ECONNREFUSED = -111;

    private final int maxDatagrams;
    private final boolean anyChannel;
    private @Nullable DatagramSlab slab;
    private boolean active;
    /** Of a run of one; of a longer one what is needed of it is below. */
    private @Nullable DatagramPacket first;
    private @Nullable ByteBuf run;
    private @Nullable InetSocketAddress recipient;
    private @Nullable DefaultKcpChannel session;
    private int datagrams;
    private int datagramBytes;
    private int runBytes;
    private long endAddress;
    private long runs;
    private long refusedRuns;

    /**
     * Creates the handler.
     *
     * @param maxDatagrams how many datagrams leave as one at most, 1 to {@value #MAX_DATAGRAMS}: the peer gets them in one
     *                     burst, and its receive buffer must hold it
     */
    public DatagramCoalescer(int maxDatagrams) {
        this(maxDatagrams, false);
    }

    DatagramCoalescer(int maxDatagrams, boolean anyChannel) {
        if (maxDatagrams < 1 || maxDatagrams > MAX_DATAGRAMS) {
            throw new IllegalArgumentException("maxDatagrams: " + maxDatagrams + " (expected: 1 to " + MAX_DATAGRAMS + ')');
        }
        this.maxDatagrams = maxDatagrams;
        this.anyChannel = anyChannel;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        slab = LoopContext.of(context.channel().eventLoop()).slab();
        active = maxDatagrams > 1 && (anyChannel || KcpTransport.sendsRuns(context.channel()));
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        endRun(context);
    }

    /** Returns how many runs were handed over. */
    long runs() {
        return runs;
    }

    /** Returns how many of them were refused. */
    long refusedRuns() {
        return refusedRuns;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!active || !promise.isVoid() || !(message instanceof DatagramPacket packet) || !mayJoin(packet)) {
            endRun(context);
            context.write(message, promise);
            return;
        }
        ByteBuf datagram = packet.content();
        int bytes = datagram.readableBytes();
        long address = datagram.memoryAddress() + datagram.readerIndex();
        if (follows(packet, address, bytes)) {
            join(packet, bytes);
        } else {
            endRun(context);
            first = packet;
            datagramBytes = bytes;
            runBytes = bytes;
            datagrams = 1;
        }
        endAddress = address + bytes;
        if (bytes < datagramBytes || datagrams == maxDatagrams) {
            endRun(context);
        }
    }

    private static boolean mayJoin(DatagramPacket packet) {
        return packet.content().hasMemoryAddress() && packet.content().isReadable() && !(packet instanceof SegmentedDatagramPacket)
            && packet.recipient() != null
            && !(packet instanceof KcpPacket kcpPacket && (!kcpPacket.isOutbound() || kcpPacket.kcpSession().sendsSingly));
    }

    private boolean follows(DatagramPacket packet, long address, int bytes) {
        DatagramPacket begin = first;
        if (address != endAddress || datagrams == 0 || bytes > datagramBytes || runBytes + bytes > MAX_RUN_BYTES) {
            return false;
        }
        InetSocketAddress to = packet.recipient();
        if (begin != null) {
            return to.equals(begin.recipient()) && mayFollow(begin.content(), bytes);
        }
        return (to == recipient || to.equals(recipient)) && hasRoom(bytes);
    }

    private boolean mayFollow(ByteBuf begin, int bytes) {
        DatagramSlab memory = slab;
        ByteBuf rest = memory == null ? null : memory.from(begin.memoryAddress() + begin.readerIndex());
        if (rest == null) {
            return false;
        }
        run = rest;
        if (hasRoom(bytes)) {
            return true;
        }
        run = null;
        rest.release();
        return false;
    }

    /** What lies behind the end of a slab may be another slab. */
    private boolean hasRoom(int bytes) {
        ByteBuf many = run;
        return many != null && runBytes + bytes <= many.capacity();
    }

    private void join(DatagramPacket packet, int bytes) {
        DatagramPacket begin = first;
        if (begin != null) {
            recipient = begin.recipient();
            session = begin instanceof KcpPacket kcpPacket ? kcpPacket.kcpSession() : null;
            first = null;
            begin.release();
        }
        runBytes += bytes;
        datagrams++;
        packet.release();
    }

    private void endRun(ChannelHandlerContext context) {
        if (datagrams == 0) {
            return;
        }
        datagrams = 0;
        DatagramPacket single = first;
        ByteBuf many = run;
        first = null;
        run = null;
        if (single != null) {
            context.write(single, context.voidPromise());
        } else if (many != null) {
            runs++;
            many.writerIndex(runBytes);
            RunPromise promise = new RunPromise(context, many.retain(), datagramBytes, recipient, session, false);
            context.write(new SegmentedDatagramPacket(many, datagramBytes, recipient), promise);
            recipient = null;
            session = null;
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        endRun(context);
        context.flush();
    }

    /** Keeps a run until it is written. Overrides what is called then, so that it needs no listener. */
    private final class RunPromise extends DefaultChannelPromise {

        private final ChannelHandlerContext context;
        private final ByteBuf content;
        private final int datagramBytes;
        private final @Nullable InetSocketAddress recipient;
        private final @Nullable DefaultKcpChannel session;
        private final boolean again;

        RunPromise(ChannelHandlerContext context, ByteBuf content, int datagramBytes, @Nullable InetSocketAddress recipient,
            @Nullable DefaultKcpChannel session, boolean again) {
            super(context.channel(), context.executor());
            this.context = context;
            this.content = content;
            this.datagramBytes = datagramBytes;
            this.recipient = recipient;
            this.session = session;
            this.again = again;
        }

        @Override
        public boolean trySuccess(@Nullable Void result) {
            content.release();
            return super.trySuccess(null);
        }

        @Override
        public boolean tryFailure(Throwable cause) {
            boolean done = super.tryFailure(cause);
            try {
                if (cause instanceof NativeIoException error && isRefusal(error.expectedErr())) {
                    onRefused(error);
                } else if (cause instanceof NativeIoException error && error.expectedErr() == ECONNREFUSED && !again) {
                    onUnreachable();
                } else if (context.channel().isRegistered()) {
                    context.pipeline().fireExceptionCaught(cause);
                }
            } finally {
                content.release();
            }
            return done;
        }

        /** That is what became of an earlier datagram; of this run nothing was sent. */
        private void onUnreachable() {
            context.write(new SegmentedDatagramPacket(content.retainedDuplicate(), datagramBytes, recipient),
                new RunPromise(context, content.retain(), datagramBytes, recipient, session, true));
            context.flush();
        }

        private void onRefused(NativeIoException error) {
            refusedRuns++;
            DefaultKcpChannel sender = session;
            if (sender != null && error.expectedErr() != EIO) {
                LOGGER.debug("{} sends no runs to {} any more", context.channel(), recipient, error);
                sender.sendsSingly = true;
            } else {
                LOGGER.debug("{} sends no runs any more", context.channel(), error);
                active = false;
            }
            for (int offset = 0; offset < content.writerIndex(); offset += datagramBytes) {
                ByteBuf datagram = content.retainedSlice(offset, Math.min(datagramBytes, content.writerIndex() - offset));
                context.write(new DatagramPacket(datagram, recipient), context.voidPromise());
            }
            context.flush();
        }
    }

    private static boolean isRefusal(int error) {
        return error == EIO || error == EINVAL || error == EMSGSIZE;
    }
}
