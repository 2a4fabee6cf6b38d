package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Counts what comes, or returns it too, until standard input ends. */
@Command(name = "server", description = "Counts what comes, or returns it too, until standard input ends.",
    mixinStandardHelpOptions = true)
final class LoadServer implements Callable<Integer> {

    /** What is done with what comes. */
    enum Work { SINK, ECHO }

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    KcpLoad program;

    @Mixin
    LoadOptions load = new LoadOptions();

    @Option(names = "--work", required = true, description = "sink or echo")
    @SuppressWarnings("NullAway.Init")
    Work work;

    @Option(names = "--listen", defaultValue = "0", description = "port, 0 for any")
    int port;

    @Option(names = "--metrics", description = "has all meters scraped each second, as by Prometheus")
    boolean metrics;

    private final LoadMeter meter = new LoadMeter();

    @Override
    public Integer call() {
        LoadEnd end = new LoadEnd();
        MultiThreadIoEventLoopGroup group = load.newGroup();
        try {
            KcpServerChannel server = bind(group);
            MetricsScrape scrape = metrics ? new MetricsScrape(server) : null;
            new ControlLines(program.in(), program.out(), meter,
                () -> SessionCounts.of(server.collectStats().syncUninterruptibly().getNow()), end, load.histogramRows).start();
            int boundPort = Objects.requireNonNull(server.localAddress(), "localAddress").getPort();
            JsonLine.event("ready").put("port", boundPort).put("transport", load.transport.name()).printTo(program.out());
            if (!load.quiet) {
                LoadProgress.start("server " + work.name().toLowerCase(Locale.ROOT), meter);
            }
            end.await();
            if (scrape != null) {
                scrape.close();
                if (!load.quiet) {
                    System.err.println(scrape.summary());
                }
            }
        } finally {
            LoadClient.shutDown(group);
        }
        return 0;
    }

    private KcpServerChannel bind(MultiThreadIoEventLoopGroup group) {
        InetSocketAddress address = new InetSocketAddress(load.host, port);
        return load.newServer(group)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(newHandler());
                }
            }).bind(address).syncUninterruptibly().channel();
    }

    private ChannelHandler newHandler() {
        return work == Work.SINK ? new Sink(meter) : new Echo(meter);
    }

    /** Clients come and go without a word; how many were lost is in the figures. */
    private abstract static class Quiet extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private static final class Sink extends Quiet {

        private final LoadMeter meter;
        private int bytes;
        private int messages;

        Sink(LoadMeter meter) {
            this.meter = meter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            messages++;
            buffer.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            meter.received(bytes, messages);
            bytes = 0;
            messages = 0;
        }
    }

    private static final class Echo extends Quiet {

        private final LoadMeter meter;
        private int bytes;
        private int messages;

        Echo(LoadMeter meter) {
            this.meter = meter;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes += ((ByteBuf) message).readableBytes();
            messages++;
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            meter.received(bytes, messages);
            meter.sent(bytes, messages);
            bytes = 0;
            messages = 0;
            context.flush();
        }
    }
}
