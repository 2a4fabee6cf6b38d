package io.kcp.netty.internal.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Switches an epoll socket between {@code recvmmsg} (for many peers) and UDP generic receive offload (GRO, for bulk traffic of one peer),
 * based on recent traffic. With GRO, {@code recvmsg} returns a batch of datagrams that the kernel has coalesced. The two modes are never
 * combined, because Netty 4.2.18 would then lose the size of the datagrams.
 */
public final class ReceiveModeSwitch extends ChannelInboundHandlerAdapter {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ReceiveModeSwitch.class);
    private static final int JUDGED_DATAGRAMS = 64;
    private static final int JUDGED_READS = 256;
    /**
     * Maximum time in nanoseconds in which {@link #JUDGED_DATAGRAMS} datagrams must arrive for a switch to GRO. Slower traffic does not
     * need GRO.
     */
    private static final long BULK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long FIRST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(64);

    private final BatchReceiveAllocator reads;
    private final DatagramSlab slab;
    private @Nullable InetSocketAddress lastSender;
    private int lastBytes;
    private int batchDatagrams;
    private int batchAlike;
    private long judgedSinceNs;
    private int judgedDatagrams;
    private int judgedAlike;
    private long retryNs = FIRST_RETRY_NS;
    private long switchedNs;
    private boolean switchedBefore;
    private int switchesToGro;

    ReceiveModeSwitch(BatchReceiveAllocator reads, DatagramSlab slab) {
        this.reads = reads;
        this.slab = slab;
    }

    /**
     * Adds this handler to the pipeline of an epoll socket that has a {@link BatchReceiveAllocator}. Does nothing for other channels.
     *
     * @param slab the memory into which coalesced datagrams are read
     */
    public static void install(Channel socket, DatagramSlab slab) {
        if (socket instanceof EpollDatagramChannel channel
            && channel.config().getRecvByteBufAllocator() instanceof BatchReceiveAllocator allocator
            && channel.config().getMaxDatagramPayloadSize() == BatchReceiveAllocator.DATAGRAM_BYTES) {
            channel.pipeline().addLast("gro", new ReceiveModeSwitch(allocator, slab));
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        reads.useSlab(slab, context.alloc());
    }

    /** Returns the number of times that the socket was switched to GRO. */
    public int switchesToGro() {
        return switchesToGro;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof DatagramPacket packet) {
            batchDatagrams++;
            if (!reads.isGro()) {
                compare(packet);
            }
        }
        context.fireChannelRead(message);
    }

    private void compare(DatagramPacket packet) {
        int bytes = packet.content().readableBytes();
        InetSocketAddress sender = packet.sender();
        if (bytes == lastBytes && sender.equals(lastSender)) {
            batchAlike++;
        } else {
            lastBytes = bytes;
            lastSender = sender;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (reads.isGro()) {
            judgedDatagrams += batchDatagrams;
            if (reads.groReads() >= JUDGED_READS && reads.isDrained()) {
                judgeGro(context);
            }
        } else if (batchDatagrams > 0) {
            if (judgedDatagrams == 0) {
                judgedSinceNs = context.executor().ticker().nanoTime();
            }
            judgedDatagrams += batchDatagrams;
            judgedAlike += batchAlike;
            if (judgedDatagrams >= JUDGED_DATAGRAMS) {
                judgeBatches(context);
            }
        }
        batchDatagrams = 0;
        batchAlike = 0;
        context.fireChannelReadComplete();
    }

    private void judgeBatches(ChannelHandlerContext context) {
        long nowNs = context.executor().ticker().nanoTime();
        // Ignores the number of datagrams per read, which is low if a fast event loop reads each datagram as it arrives. Only a trial shows
        // whether GRO helps.
        boolean runs = judgedAlike * 4 >= judgedDatagrams * 3 && nowNs - judgedSinceNs < BULK_NS;
        judgedDatagrams = 0;
        judgedAlike = 0;
        if (runs && (!switchedBefore || nowNs - switchedNs >= retryNs)) {
            switchTo(context, true, nowNs);
        }
    }

    private void judgeGro(ChannelHandlerContext context) {
        boolean single = judgedDatagrams < 2 * reads.groReads();
        judgedDatagrams = 0;
        reads.restartCount();
        long nowNs = context.executor().ticker().nanoTime();
        if (single) {
            // Switching while coalesced datagrams are still in the socket would truncate them, but the socket has just been drained.
            retryNs = nowNs - switchedNs > retryNs ? FIRST_RETRY_NS : Math.min(2 * retryNs, MAX_RETRY_NS);
            switchTo(context, false, nowNs);
        }
    }

    private void switchTo(ChannelHandlerContext context, boolean gro, long nowNs) {
        EpollDatagramChannelConfig config = ((EpollDatagramChannel) context.channel()).config();
        switchedNs = nowNs;
        switchedBefore = true;
        try {
            config.setUdpGro(gro);
        } catch (ChannelException unsupported) {
            LOGGER.debug("{} does not support GRO", context.channel(), unsupported);
            context.pipeline().remove(this);
            return;
        }
        config.setMaxDatagramPayloadSize(gro ? 0 : BatchReceiveAllocator.DATAGRAM_BYTES);
        reads.setGro(gro);
        switchesToGro += gro ? 1 : 0;
        LOGGER.debug("{} is read with {}", context.channel(), gro ? "GRO" : "recvmmsg");
    }
}
