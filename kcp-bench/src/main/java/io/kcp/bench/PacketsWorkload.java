package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import tools.jackson.databind.node.ObjectNode;

/** Workload in which each connection sends one packet of random size and waits for its echo before it sends the next one. */
final class PacketsWorkload implements LoadClient.Workload {

    private final LoadContext load;
    private final PacketTransport transport;
    private final InetSocketAddress server;
    private final byte[] block;
    private final ConcurrentHistogram roundTripsNs = new ConcurrentHistogram(3);
    private final LongAdder echoes = new LongAdder();
    private volatile boolean measuring;

    PacketsWorkload(LoadContext load, PacketTransport transport, InetSocketAddress server) {
        this.load = load;
        this.transport = transport;
        this.server = server;
        block = new byte[load.options.maxPayloadBytes];
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.options.connections; i++) {
            transport.connect(server, load.sockets, new Client(i));
        }
        LoadContext.sleep(load.options.warmupSeconds);
        measuring = true;
        long before = echoes.sum();
        LoadContext.Interval interval = load.measureDuring(() -> LoadContext.sleep(load.options.seconds));
        long count = echoes.sum() - before;
        measuring = false;
        return interval.addTo(LoadMeter.addPercentiles(Json.event("result").put("work", "packets").put("count", count)
            .put("echoes_s", count / interval.load().seconds()), roundTripsNs, "us"));
    }

    private final class Client extends ClientSessionHandler {

        private final SplittableRandom sizes;
        private int sentBytes;
        private long sentNs;

        Client(long seed) {
            super(PacketsWorkload.this.load);
            sizes = new SplittableRandom(seed);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            sentBytes = sizes.nextInt(block.length + 1);
            sentNs = System.nanoTime();
            load.meter.sent(sentBytes, 1);
            context.writeAndFlush(context.alloc().ioBuffer(Math.max(1, sentBytes)).writeBytes(block, 0, sentBytes), context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf packet) {
            if (packet.readableBytes() != sentBytes) {
                throw new IllegalStateException("sent " + sentBytes + " bytes, received " + packet.readableBytes());
            }
            load.meter.received(sentBytes, 1);
            echoes.increment();
            if (measuring) {
                roundTripsNs.recordValue(System.nanoTime() - sentNs);
            }
            send(context);
        }
    }

    /** Returns each packet to its sender. */
    static final class Echo extends ChannelInboundHandlerAdapter {

        private final LoadMeter meter;

        Echo(LoadMeter meter) {
            this.meter = meter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int bytes = ((ByteBuf) message).readableBytes();
            meter.received(bytes, 1);
            meter.sent(bytes, 1);
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        /** Closes the connection without reporting an error. Errors are expected, because clients exit without closing connections. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
