package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.accept.AcceptSettings;
import io.kcp.netty.internal.admission.ReplayFilter;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.test.FailingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Two datagram channels, each with a {@link KcpHandler}, that exchange datagrams without a network and with a simulated clock that
 * {@link #advanceMs} advances. Datagrams are delivered without delay, all pending ones in a single batch, and a test may drop any of
 * them. Closing the link verifies that every buffer was released.
 */
public final class EmbeddedLink implements AutoCloseable {

    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    public static final InetSocketAddress SERVER_ADDRESS = new InetSocketAddress("10.0.0.1", 9_000);
    public static final InetSocketAddress CLIENT_ADDRESS = new InetSocketAddress("10.0.0.2", 5_000);
    private static final int MAX_ROUNDS = 1_000_000;
    private static final Consumer<Channel> NOTHING_BELOW = channel -> {
    };

    /** One end of the link. */
    public final class End {

        private final InetSocketAddress address;
        private final DefaultKcpHandler handler;
        private final EmbeddedChannel channel;
        private final WireLog sent = new WireLog();
        private Predicate<ByteBuf> lost = datagram -> false;
        private int flushes;

        private End(InetSocketAddress address, KcpHandler added, Consumer<Channel> below) {
            DefaultKcpHandler handler = (DefaultKcpHandler) added;
            this.address = address;
            this.handler = handler;
            channel = EmbeddedChannel.builder().ticker(clock).build();
            channel.config().setAllocator(allocator);
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(2 << 20, 4 << 20));
            channel.pipeline().addLast(new ChannelDuplexHandler() {
                @Override
                public void flush(ChannelHandlerContext ctx) {
                    flushes++;
                    ctx.flush();
                }
            });
            below.accept(channel);
            channel.pipeline().addLast(handler);
            sockets.add(channel);
        }

        public EmbeddedChannel channel() {
            return channel;
        }

        public DefaultKcpHandler handler() {
            return handler;
        }

        public SessionHost<DefaultKcpChannel> host() {
            return handler.host();
        }

        /** Returns the counts of the sessions that this end has accepted. */
        public SessionCounts counts() {
            return Objects.requireNonNull(handler.settings().accept()).counts();
        }

        /** Releases the current slab, so that the next datagram must allocate memory. */
        void releaseSlab() {
            LoopContext.of(channel.eventLoop()).slab().release();
        }

        /** Returns the log of the datagrams that this end sent, including lost ones. */
        public WireLog sent() {
            return sent;
        }

        public int flushes() {
            return flushes;
        }

        /** Drops the outbound datagrams of this end for which the predicate returns {@code true}. */
        public void lose(Predicate<ByteBuf> lost) {
            this.lost = lost;
        }

        public void loseAll() {
            lose(datagram -> true);
        }

        void loseNothing() {
            lose(datagram -> false);
        }

        public void loseAtRandom(double probability, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            lose(datagram -> random.nextDouble() < probability);
        }

        public KcpListenerStats stats() {
            return handler.collectStats().getNow();
        }

        public long dropped(DropReason reason) {
            return stats().dropped().getOrDefault(reason, 0L);
        }

        /** Delivers datagrams to this end in a single batch. Takes ownership of the buffers. */
        public void receive(InetSocketAddress from, ByteBuf... datagrams) {
            for (ByteBuf datagram : datagrams) {
                // Throws the exception that the pipeline has thrown, if any.
                channel.writeOneInbound(new DatagramPacket(datagram, address, from)).syncUninterruptibly();
            }
            channel.flushInbound();
        }

        public void receive(InetSocketAddress from, WireSegment... segments) {
            receive(from, WireSegment.datagram(allocator, segments));
        }

        /** Removes and returns the datagrams that this end sent and that were not dropped. The caller must release them. */
        public List<ByteBuf> take() {
            return new ArrayList<>(takePackets().stream().map(DatagramPacket::content).toList());
        }

        /** Removes and returns the packets that this end sent and that were not dropped. The caller must release them. */
        List<DatagramPacket> takePackets() {
            channel.runPendingTasks();
            List<DatagramPacket> arriving = new ArrayList<>();
            for (DatagramPacket packet = channel.readOutbound(); packet != null; packet = channel.readOutbound()) {
                ByteBuf datagram = packet.content();
                if (isBare(datagram)) {
                    sent.add(WireSegment.parse(datagram));
                }
                if (lost.test(datagram)) {
                    packet.release();
                } else {
                    arriving.add(packet);
                }
            }
            return arriving;
        }
    }

    /** Returns {@code true} if the datagram is plain KCP, without FEC and encryption. */
    private static boolean isBare(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        while (datagram.writerIndex() - offset >= SegmentHeader.LENGTH) {
            int cmd = SegmentHeader.cmd(datagram, offset);
            long end = offset + SegmentHeader.LENGTH + SegmentHeader.len(datagram, offset);
            if (cmd < SegmentHeader.CMD_PUSH || cmd > SegmentHeader.CMD_WINS || end > datagram.writerIndex()) {
                return false;
            }
            offset = (int) end;
        }
        return offset > datagram.readerIndex();
    }

    private final EmbeddedSockets sockets = new EmbeddedSockets();
    public final MockTicker ticker = sockets.ticker();
    private int clockFailures;
    private boolean countsClockReadings;
    private int clockReadings;
    private final Ticker clock = new Ticker() {
        @Override
        public long initialNanoTime() {
            return ticker.initialNanoTime();
        }

        @Override
        public long nanoTime() {
            if (countsClockReadings && STACK.getCallerClass() == LoopContext.class) {
                clockReadings++;
            }
            if (clockFailures > 0) {
                clockFailures--;
                throw new OutOfMemoryError("no memory, says the clock");
            }
            return ticker.nanoTime();
        }

        @Override
        public void sleep(long delay, TimeUnit unit) throws InterruptedException {
            ticker.sleep(delay, unit);
        }
    };
    private final FailingAllocator allocator = new FailingAllocator(sockets.memory());
    private final List<SessionRecorder> accepted = new ArrayList<>();
    private final End server;
    private final End client;
    private final List<End> otherClients = new ArrayList<>();

    private EmbeddedLink(KcpHandlerBuilder server, boolean replayFilter, Consumer<Channel> belowServer, Consumer<Channel> belowClient) {
        server.childOption(ChannelOption.ALLOCATOR, allocator);
        DefaultKcpHandler built = (DefaultKcpHandler) server.build();
        DefaultKcpHandler handler = replayFilter ? new DefaultKcpHandler(withReplayFilter(built.settings())) : built;
        this.server = new End(SERVER_ADDRESS, handler, belowServer);
        client = new End(CLIENT_ADDRESS, new KcpClientHandlerBuilder().build(), belowClient);
    }

    /** Creates a link whose server is configured by {@code settings} and whose accepted sessions use the given recorders. */
    public static EmbeddedLink create(Consumer<KcpHandlerBuilder> settings, Supplier<SessionRecorder> recorders) {
        return create(settings, recorders, NOTHING_BELOW, NOTHING_BELOW);
    }

    /** Creates a link with additional handlers below the {@link KcpHandler} of each end. */
    public static EmbeddedLink create(Consumer<Channel> belowServer, Consumer<Channel> belowClient) {
        return create(builder -> {
        }, SessionRecorder::new, belowServer, belowClient);
    }

    public static EmbeddedLink create(Consumer<KcpHandlerBuilder> settings, Supplier<SessionRecorder> recorders,
        Consumer<Channel> belowServer, Consumer<Channel> belowClient) {
        return create(settings, recorders, false, belowServer, belowClient);
    }

    /** Creates a link whose server rejects replays, as a server with a cipher does. */
    public static EmbeddedLink create(Consumer<KcpHandlerBuilder> settings, Supplier<SessionRecorder> recorders, boolean replayFilter,
        Consumer<Channel> belowServer, Consumer<Channel> belowClient) {
        EmbeddedLink[] link = new EmbeddedLink[1];
        KcpHandlerBuilder builder = new KcpHandlerBuilder(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                SessionRecorder recorder = recorders.get();
                link[0].accepted.add(recorder);
                session.pipeline().addLast(recorder);
            }
        });
        settings.accept(builder);
        link[0] = new EmbeddedLink(builder, replayFilter, belowServer, belowClient);
        return link[0];
    }

    private static ListenerSettings withReplayFilter(ListenerSettings settings) {
        AcceptSettings accept = Objects.requireNonNull(settings.accept());
        return new ListenerSettings(settings.closeWithSession(), settings.repeatAcknowledgement(), settings.reducedMtus(),
            settings.foreignDatagrams(), new AcceptSettings(accept.childHandler(), accept.childOptions(), accept.childAttributes(),
            accept.parent(), accept.onAccepted(), accept.acceptFilter(), accept.limits(), accept.flood(), accept.floodLog(),
            accept.counts(), accept.load(), new ReplayFilter(new SecureRandom()), accept.conversations(), accept.receiveWindow(),
            accept.amplificationLimit()));
    }

    public static EmbeddedLink create(Supplier<SessionRecorder> recorders) {
        return create(builder -> {
        }, recorders);
    }

    public static EmbeddedLink create() {
        return create(SessionRecorder::new);
    }

    public End server() {
        return server;
    }

    public End client() {
        return client;
    }

    /**
     * Adds a client with another address, which receives the datagrams that the server sends to that address.
     *
     * @param below adds handlers below the {@link KcpHandler} of the client
     */
    End addClient(InetSocketAddress address, Consumer<Channel> below) {
        End added = new End(address, new KcpClientHandlerBuilder().build(), below);
        otherClients.add(added);
        return added;
    }

    public ByteBufAllocator allocator() {
        return allocator;
    }

    /** Returns the allocator of both ends, whose allocations a test can make fail. */
    public FailingAllocator failing() {
        return allocator;
    }

    /** Makes the next {@code readings} clock reads of both ends throw. Returns the number of earlier failures that were not used. */
    int failClock(int readings) {
        int left = clockFailures;
        clockFailures = readings;
        return left;
    }

    /**
     * Runs an action and returns how often the library has read the clock at both ends meanwhile. The event loops of Netty read it, too.
     * The clock allocates memory during the action.
     */
    public int countClockReadings(Runnable action) {
        int before = clockReadings;
        countsClockReadings = true;
        try {
            action.run();
        } finally {
            countsClockReadings = false;
        }
        return clockReadings - before;
    }

    /** Returns the number of bytes in buffers that have not been released. */
    public long outstandingBytes() {
        return sockets.outstandingBytes();
    }

    /** Returns the recorders of the sessions that the server accepted, in the order of acceptance. */
    public List<SessionRecorder> accepted() {
        return accepted;
    }

    public SessionRecorder accepted(int index) {
        return accepted.get(index);
    }

    public SessionRecorder connect(int conv) {
        return connect(conv, new SessionRecorder());
    }

    public SessionRecorder connect(int conv, SessionRecorder recorder) {
        return connect(client, conv, recorder);
    }

    public SessionRecorder connect(End from, int conv, SessionRecorder recorder) {
        KcpChannel session = from.handler.connect(SERVER_ADDRESS, conv, recorder).syncUninterruptibly().channel();
        session.config().setAllocator(allocator);
        return recorder;
    }

    /** Connects a session and delivers one message, so that both ends have opened the session. */
    public SessionRecorder establish(int conv) {
        SessionRecorder recorder = connect(conv);
        recorder.session().writeAndFlush(text("hello"));
        settle();
        server.sent.clear();
        client.sent.clear();
        return recorder;
    }

    /** Returns a new buffer that contains the text. The caller must release it. */
    public ByteBuf text(String text) {
        return ByteBufUtil.writeUtf8(allocator, text);
    }

    public ByteBuf bytes(int length) {
        return text("x".repeat(length));
    }

    static String read(ByteBuf buffer) {
        return buffer.toString(StandardCharsets.ISO_8859_1);
    }

    private boolean carry() {
        boolean any = carry(client, server);
        for (End other : otherClients) {
            any |= carry(other, server);
        }
        return any | carryToClients();
    }

    private static boolean carry(End from, End to) {
        List<DatagramPacket> packets = from.takePackets();
        deliver(packets, from, to);
        return !packets.isEmpty();
    }

    private boolean carryToClients() {
        List<DatagramPacket> packets = server.takePackets();
        for (End other : otherClients) {
            deliver(packets.stream().filter(packet -> other.address.equals(packet.recipient())).toList(), server, other);
        }
        deliver(packets.stream().filter(packet -> otherClients.stream().noneMatch(other -> other.address.equals(packet.recipient())))
            .toList(), server, client);
        return !packets.isEmpty();
    }

    private static void deliver(List<DatagramPacket> packets, End from, End to) {
        if (to.channel.isOpen() && !packets.isEmpty()) {
            to.receive(from.address, packets.stream().map(DatagramPacket::content).toArray(ByteBuf[]::new));
        } else {
            packets.forEach(DatagramPacket::release);
        }
    }

    /** Advances the clock without running any task, as if a handler blocked the event loop. */
    public void passMs(long ms) {
        ticker.advance(ms, TimeUnit.MILLISECONDS);
    }

    long nowMs() {
        return sockets.nowMs();
    }

    /** Delivers datagrams until no end sends any more, without advancing the clock. */
    public void settle() {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (!carry()) {
                return;
            }
        }
        throw new AssertionError("the link does not come to rest");
    }

    /** Advances the clock step by step from one scheduled task to the next, and delivers the datagrams that the ends send. */
    public void advanceMs(long ms) {
        long endNanos = ticker.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        settle();
        for (long left = endNanos - ticker.nanoTime(); left > 0; left = endNanos - ticker.nanoTime()) {
            ticker.advance(Math.min(left, Math.max(1, sockets.runScheduledTasks())), TimeUnit.NANOSECONDS);
            settle();
        }
    }

    /** Advances the clock by at most {@code atMostMs}, until the condition holds. Returns {@code true} if it does. */
    public boolean advanceUntil(Supplier<Boolean> condition, long atMostMs) {
        long endMs = nowMs() + atMostMs;
        settle();
        while (!condition.get() && nowMs() < endMs) {
            advanceMs(1);
        }
        return condition.get();
    }

    @Override
    public void close() {
        sockets.close();
    }
}
