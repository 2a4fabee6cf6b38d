package io.kcp.interop.plain;

import io.kcp.bench.rig.Session;
import io.kcp.bench.rig.SessionListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A client session with its own UDP socket. */
final class UdpSession extends ChannelInboundHandlerAdapter implements Session {

    private static final int DATAGRAMS_PER_FLUSH = 64;
    private static final long FORGIVE_MS = 5;

    private final SessionListener listener;
    private final InetSocketAddress server;
    private final int datagramBytes;
    private final int segments;
    private final int windowDatagrams;
    private ChannelHandlerContext context;
    private Source source;
    private ByteBuf batch;
    private boolean feeding;
    private long sent;
    private long accounted;
    private long accountedBefore;
    private long forgiven;

    UdpSession(SessionListener listener, InetSocketAddress server, int datagramBytes, int segments, int windowDatagrams) {
        this.listener = listener;
        this.server = server;
        this.datagramBytes = datagramBytes;
        this.segments = segments;
        this.windowDatagrams = windowDatagrams;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        listener.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        try {
            if (UdpCredit.is(packet.content())) {
                accounted = Math.max(accounted, UdpCredit.read(packet.content()) + forgiven);
            } else {
                accounted++;
                listener.received(this, packet.content().retain());
            }
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        listener.receivedAll(this);
        pump();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pump();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        listener.failed(cause);
    }

    @Override
    public ByteBufAllocator alloc() {
        return context.alloc();
    }

    @Override
    public ScheduledExecutorService loop() {
        return context.channel().eventLoop();
    }

    @Override
    public void write(ByteBuf message) {
        context.write(new DatagramPacket(message, server), context.voidPromise());
    }

    @Override
    public void flush() {
        context.flush();
    }

    @Override
    public void feed(Source next) {
        context.executor().execute(() -> {
            source = next;
            pump();
        });
        context.executor().scheduleWithFixedDelay(this::forgive, FORGIVE_MS, FORGIVE_MS, TimeUnit.MILLISECONDS);
    }

    /** Counts all datagrams without credit as lost if neither credit nor a datagram has arrived since the previous call. */
    private void forgive() {
        if (accounted == accountedBefore && sent > accounted) {
            forgiven += sent - accounted;
            accounted = sent;
            pump();
        }
        accountedBefore = accounted;
    }

    @Override
    public void resume() {
        // Does nothing, because channelReadComplete() calls pump(), which resumes sending.
    }

    private void pump() {
        if (source == null || feeding) {
            return;
        }
        feeding = true;
        try {
            int unflushed = 0;
            while (sent - accounted + segments <= windowDatagrams && context.channel().isWritable()) {
                ByteBuf next = source.next();
                if (next == null) {
                    break;
                }
                unflushed += send(next);
                if (unflushed >= DATAGRAMS_PER_FLUSH || !context.channel().isWritable()) {
                    context.flush();
                    source.flushed();
                    unflushed = 0;
                }
            }
            if (unflushed > 0 || batch != null) {
                sendBatch();
                context.flush();
                source.flushed();
            }
        } finally {
            feeding = false;
        }
    }

    /** Splits a write into datagrams, either in this process or in the kernel (GSO), and returns the number of datagrams. */
    private int send(ByteBuf write) {
        int datagrams = (write.readableBytes() + datagramBytes - 1) / datagramBytes;
        if (segments == 1) {
            while (write.readableBytes() > datagramBytes) {
                write(write.readRetainedSlice(datagramBytes));
            }
            write(write);
        } else if (datagrams > 1) {
            context.write(new SegmentedDatagramPacket(write, datagramBytes, server), context.voidPromise());
        } else {
            gather(write);
        }
        sent += datagrams;
        return datagrams;
    }

    /** Collects small writes into one segmented packet, which the kernel splits into datagrams. */
    private void gather(ByteBuf write) {
        if (batch == null) {
            batch = alloc().directBuffer(segments * datagramBytes);
        }
        batch.writeBytes(write);
        write.release();
        if (batch.writableBytes() < datagramBytes) {
            sendBatch();
        }
    }

    private void sendBatch() {
        if (batch != null) {
            context.write(new SegmentedDatagramPacket(batch, datagramBytes, server), context.voidPromise());
            batch = null;
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
