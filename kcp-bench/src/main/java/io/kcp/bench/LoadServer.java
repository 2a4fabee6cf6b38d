package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.blocking.KcpSocket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.SynchronizedHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ObjectNode;

/** Receives load as the {@code server} subcommand of {@link KcpLoad}. */
@Command(name = "server", description = "Receives load until standard input ends.", mixinStandardHelpOptions = true)
final class LoadServer implements Callable<Integer> {

    /** Values of the {@code --work} option. */
    enum Work { SINK, ECHO, DELAY, PACKETS }

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    KcpLoad program;

    @Mixin
    LoadOptions load = new LoadOptions();

    @Option(names = "--work", required = true,
        description = "sink (count received bytes), echo (return them), delay (measure the delay of messages) or packets (return packets)")
    @SuppressWarnings("NullAway.Init")
    Work work;

    @Option(names = "--listen", defaultValue = "0", description = "port, 0 for any free port (${DEFAULT-VALUE})")
    int port;

    @Option(names = "--write-bytes", defaultValue = "64", description = "delay: message size in bytes (${DEFAULT-VALUE})")
    int messageBytes;

    @Option(names = "--greet-bytes", defaultValue = "0", description = "echo: bytes to send to each new session (${DEFAULT-VALUE})")
    int greetBytes;

    @Option(names = "--work-us", defaultValue = "0",
        description = "echo: CPU time of the application for each message in microseconds (${DEFAULT-VALUE})")
    long workUs;

    @Option(names = "--max-sessions", defaultValue = "" + LoadOptions.MAX_SESSIONS,
        description = "limit of open sessions (${DEFAULT-VALUE})")
    int maxSessions;

    @Option(names = "--untrusted", description = "trust no address, so that the limits per address also apply to 127.0.0.0/8")
    boolean untrusted;

    @Option(names = "--metrics", description = "read all Micrometer meters once per second, as a Prometheus scrape does")
    boolean metrics;

    private final LoadMeter meter = new LoadMeter();
    private final SynchronizedHistogram delaysNs = new SynchronizedHistogram(3);

    @Override
    public Integer call() {
        Termination termination = new Termination();
        MultiThreadIoEventLoopGroup group = load.newGroup();
        try {
            Channel server = bind(group);
            KcpServerChannel kcp = server instanceof KcpServerChannel sessions ? sessions : null;
            MetricsScrape scrape = metrics && kcp != null ? new MetricsScrape(kcp) : null;
            ControlCommands commands = new ControlCommands(program, meter, () -> kcp == null ? SessionCounts.of(List.of())
                : SessionCounts.of(kcp.collectStats().syncUninterruptibly().getNow()), termination, load.histogramRows);
            commands.on("delay", argument -> {
                SynchronizedHistogram ns = delaysNs.copy();
                return LoadMeter.addPercentiles(Json.event("delay").put("received", ns.getTotalCount()), ns, "ms");
            });
            commands.on("listener", argument -> kcp == null ? null : listenerEvent(kcp.collectStats().syncUninterruptibly().getNow()));
            commands.start();
            int boundPort = ((InetSocketAddress) Objects.requireNonNull(server.localAddress(), "localAddress")).getPort();
            program.out.println(Json.event("ready").put("port", boundPort).put("transport", load.transport.name()));
            if (!load.quiet) {
                LoadProgress.start("server " + work.name().toLowerCase(Locale.ROOT), meter);
            }
            termination.await();
            if (scrape != null) {
                scrape.close();
                if (!load.quiet) {
                    System.err.println(scrape.summary());
                }
            }
        } finally {
            termination.finish();
            LoadClient.shutDown(group);
        }
        return 0;
    }

    private static ObjectNode listenerEvent(KcpListenerStats stats) {
        ObjectNode event = Json.event("listener").put("active", stats.activeSessions()).put("max_active", stats.maxSessions())
            .put("opened", stats.openedSessions()).put("max_timer_delay_ms", stats.maxTimerDelayMs())
            .put("max_handling_delay_ms", stats.maxHandlingDelayMs());
        event.set("dropped", Json.MAPPER.valueToTree(stats.dropped()));
        event.set("closed", Json.MAPPER.valueToTree(stats.closed()));
        return event;
    }

    private Channel bind(MultiThreadIoEventLoopGroup group) {
        InetSocketAddress address = new InetSocketAddress(load.host, port);
        if (work == Work.PACKETS) {
            return new PacketTransport(load, group).bind(address, () -> new PacketsWorkload.Echo(meter));
        }
        KcpServerBootstrap server = load.newServer(group).maxSessions(maxSessions);
        if (untrusted) {
            server.trustedPrefixes();
        }
        return server
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    if (work == Work.ECHO && load.blocking) {
                        BlockingThreads.echo(KcpSocket.wrap(session), meter);
                        return;
                    }
                    if (work == Work.DELAY) {
                        session.pipeline().addLast(new FixedLengthFrameDecoder(messageBytes));
                    }
                    session.pipeline().addLast(new SessionHandler());
                }
            }).bind(address).syncUninterruptibly().channel();
    }

    /** Counts received bytes and, depending on the workload, echoes messages or reads the timestamps in them. */
    private final class SessionHandler extends ChannelInboundHandlerAdapter {

        private static final int GREETING_MESSAGE_BYTES = 1_024;

        private int bytes;
        private int messages;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int left = greetBytes; left > 0; left -= GREETING_MESSAGE_BYTES) {
                int size = Math.min(left, GREETING_MESSAGE_BYTES);
                context.write(context.alloc().directBuffer(size).writeZero(size), context.voidPromise());
            }
            context.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            messages++;
            if (work == Work.ECHO) {
                simulateWork();
                context.write(buffer, context.voidPromise());
                return;
            }
            if (work == Work.DELAY) {
                record(buffer.readLong());
            }
            buffer.release();
        }

        private void simulateWork() {
            if (workUs > 0) {
                long endNs = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(workUs);
                while (System.nanoTime() - endNs < 0) {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            meter.received(bytes, messages);
            if (work == Work.ECHO) {
                meter.sent(bytes, messages);
                context.flush();
            }
            bytes = 0;
            messages = 0;
        }

        /** Closes the session without reporting an error. Errors are expected, because clients exit without closing their sessions. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /**
     * Records the age of a timestamp that another process has sent. All processes of a Linux machine share the clock of
     * {@code System.nanoTime()}.
     */
    private void record(long timestampNs) {
        if (timestampNs != TimestampedSession.NOT_MEASURED) {
            delaysNs.recordValue(Math.max(0, System.nanoTime() - timestampNs));
        }
    }
}
