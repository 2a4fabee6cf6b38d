package io.kcp.netty.internal.socket;

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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends several datagrams with one system call, using UDP generic segmentation offload (GSO). The datagrams of one GSO send (a GSO batch)
 * have the same size and peer, and are adjacent in memory. The last datagram may be shorter. This handler must be the first of the
 * pipeline, nearest to the socket.
 *
 * <p>The kernel may refuse GSO on a route, for example because the network device computes no checksums or the datagrams exceed the MTU.
 * The send then fails. The datagrams of the batch, and all later datagrams of the same {@link RunSender} or of the whole socket, are then
 * sent one by one.
 *
 * <p>Each channel needs its own instance.
 */
public final class DatagramCoalescer extends ChannelOutboundHandlerAdapter {

    /** Maximum number of datagrams that Linux accepts in one GSO send. */
    public static final int MAX_DATAGRAMS = 64;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DatagramCoalescer.class);
    /** Maximum number of bytes in one GSO send, chosen so that payload and headers fit in the 16-bit length field of an IP packet. */
    private static final int MAX_RUN_BYTES = 65_000;
    private static final int EIO = -5;
    private static final int EINVAL = -22;
    private static final int EMSGSIZE = -90;
    private static final int ECONNREFUSED = -111;

    private final int maxDatagrams;
    private final DatagramSlab slab;
    private final Function<DatagramPacket, RunSender> senders;
    private boolean active;
    /**
     * Holds the first datagram of the next GSO send until a second one is added. This field is then null, and the next fields describe the
     * batch.
     */
    private @Nullable DatagramPacket first;
    private @Nullable ByteBuf run;
    private @Nullable InetSocketAddress recipient;
    private @Nullable RunSender sender;
    private int datagrams;
    private int datagramBytes;
    private int runBytes;
    private long endAddress;
    private long runs;
    private long refusedRuns;

    /**
     * Creates a handler for a channel that supports GSO.
     *
     * @param maxDatagrams the maximum number of datagrams of one batch, 1 to {@value #MAX_DATAGRAMS}; the receive buffer of the peer must
     *                     hold the burst
     * @param slab         the memory from which the datagrams of batches are allocated
     * @param senders      returns the sender of a datagram
     */
    public DatagramCoalescer(int maxDatagrams, DatagramSlab slab, Function<DatagramPacket, RunSender> senders) {
        if (maxDatagrams < 1 || maxDatagrams > MAX_DATAGRAMS) {
            throw new IllegalArgumentException("maxDatagrams: " + maxDatagrams + " (expected: 1 to " + MAX_DATAGRAMS + ')');
        }
        this.maxDatagrams = maxDatagrams;
        this.slab = slab;
        this.senders = senders;
        active = maxDatagrams > 1;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        endRun(context);
    }

    /** Returns the number of GSO sends, including those that the kernel refused. */
    public long runs() {
        return runs;
    }

    /** Returns the number of GSO sends that the kernel refused. */
    public long refusedRuns() {
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

    private boolean mayJoin(DatagramPacket packet) {
        return packet.content().hasMemoryAddress() && packet.content().isReadable() && !(packet instanceof SegmentedDatagramPacket)
            && packet.recipient() != null && senders.apply(packet).maySendRuns();
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
        ByteBuf rest = slab.from(begin.memoryAddress() + begin.readerIndex());
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

    /**
     * Returns {@code true} if a datagram that directly follows the current GSO batch is stored in the same slab. The memory after the end
     * of a slab may belong to another slab.
     */
    private boolean hasRoom(int bytes) {
        ByteBuf many = run;
        return many != null && runBytes + bytes <= many.capacity();
    }

    private void join(DatagramPacket packet, int bytes) {
        DatagramPacket begin = first;
        if (begin != null) {
            recipient = begin.recipient();
            sender = senders.apply(begin);
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
            RunSender senderOfRun = sender;
            assert senderOfRun != null : "a run of several datagrams has a sender";
            runs++;
            many.writerIndex(runBytes);
            RunPromise promise = new RunPromise(context, many.retain(), datagramBytes, recipient, senderOfRun, false);
            context.write(new SegmentedDatagramPacket(many, datagramBytes, recipient), promise);
            recipient = null;
            sender = null;
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        endRun(context);
        context.flush();
    }

    /**
     * A promise that retains the buffer of a GSO send until the send completes. Overriding the completion methods saves a listener per
     * send.
     */
    private final class RunPromise extends DefaultChannelPromise {

        private final ChannelHandlerContext context;
        private final ByteBuf content;
        private final int datagramBytes;
        private final @Nullable InetSocketAddress recipient;
        private final RunSender sender;
        private final boolean again;

        RunPromise(ChannelHandlerContext context, ByteBuf content, int datagramBytes, @Nullable InetSocketAddress recipient,
            RunSender sender, boolean again) {
            super(context.channel(), context.executor());
            this.context = context;
            this.content = content;
            this.datagramBytes = datagramBytes;
            this.recipient = recipient;
            this.sender = sender;
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
                if (cause instanceof NativeIoException error && isIcmpError(error.expectedErr()) && !again) {
                    sendAgain();
                } else if (cause instanceof NativeIoException error && isRefusal(error.expectedErr())) {
                    onRefused(error);
                } else if (context.channel().isRegistered()) {
                    context.pipeline().fireExceptionCaught(cause);
                }
            } finally {
                content.release();
            }
            return done;
        }

        /**
         * Repeats a GSO send that failed because of an ICMP message. The message belongs to an earlier datagram, such as a probe for a
         * larger MTU, and nothing was sent.
         */
        private void sendAgain() {
            context.write(new SegmentedDatagramPacket(content.retainedDuplicate(), datagramBytes, recipient),
                new RunPromise(context, content.retain(), datagramBytes, recipient, sender, true));
            context.flush();
        }

        private void onRefused(NativeIoException error) {
            refusedRuns++;
            if (error.expectedErr() == EMSGSIZE) {
                sender.onTooLarge();
            }
            if (error.expectedErr() != EIO && sender.stopSendingRuns()) {
                LOGGER.debug("{} no longer uses GSO for {}", context.channel(), recipient, error);
            } else {
                LOGGER.debug("{} no longer uses GSO", context.channel(), error);
                active = false;
            }
            for (int offset = 0; offset < content.writerIndex(); offset += datagramBytes) {
                ByteBuf datagram = content.retainedSlice(offset, Math.min(datagramBytes, content.writerIndex() - offset));
                context.write(new DatagramPacket(datagram, recipient), context.voidPromise());
            }
            context.flush();
        }
    }

    /** Returns {@code true} if the kernel may report an ICMP message about an earlier datagram with this error. */
    private static boolean isIcmpError(int error) {
        return error == ECONNREFUSED || error == EMSGSIZE;
    }

    private static boolean isRefusal(int error) {
        return error == EIO || error == EINVAL || error == EMSGSIZE;
    }
}
