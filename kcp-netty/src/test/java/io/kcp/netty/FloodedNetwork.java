package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.loop.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An echo server with all its handlers, clients with a round-trip time of {@value #ROUND_TRIP_MS} ms, and an attacker, on a simulated clock
 * that advances in steps of one millisecond. Each client has its own address. Closing the network verifies that every buffer was released.
 */
final class FloodedNetwork implements AutoCloseable {

    static final int ROUND_TRIP_MS = 200;
    static final int GREETING_MESSAGES = 3;
    private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);

    /** A client that sends one message and waits for its echo. */
    final class Client {

        private final InetSocketAddress address;
        private final EmbeddedChannel channel;
        private final Queue<Arrival> inbound = new ArrayDeque<>();
        private final SessionRecorder recorder = new SessionRecorder();
        private final long startedMs = nowMs;
        private long echoedMs = -1;
        private long receivedBytes;
        private long sentBytes;

        private Client(InetSocketAddress address, int conv, @Nullable CryptoConfig crypto, Consumer<KcpChannel> setup) {
            this.address = address;
            KcpHandlerBuilder builder = KcpHandler.client().crypto(crypto);
            clientSettings.accept(builder);
            channel = channel(builder.buildPipeline());
            recorder.onRead((ctx, text) -> echoedMs = echoedMs < 0 ? nowMs : echoedMs);
            KcpHandler handler = channel.pipeline().get(KcpHandler.class);
            KcpChannel session = handler.connect(SERVER, conv, new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel opened) {
                    opened.config().setAllocator(allocator);
                    setup.accept(opened);
                    opened.pipeline().addLast(recorder);
                }
            }).syncUninterruptibly().channel();
            session.writeAndFlush(ByteBufUtil.writeUtf8(allocator, "hello"));
        }

        void send(String text) {
            recorder.session().writeAndFlush(ByteBufUtil.writeUtf8(allocator, text));
        }

        boolean isConnected() {
            return echoedMs >= 0;
        }

        /** Returns the time from the first write to the first echo in milliseconds. */
        long connectMs() {
            return echoedMs - startedMs;
        }

        /** Returns the size of all datagrams in both directions, without IP and UDP headers. */
        long wireBytes() {
            return sentBytes + receivedBytes;
        }

        SessionRecorder recorder() {
            return recorder;
        }

        private void step() {
            for (Arrival next = inbound.peek(); next != null && next.dueMs <= nowMs; next = inbound.peek()) {
                receivedBytes += next.datagram.readableBytes();
                channel.writeOneInbound(new DatagramPacket(inbound.remove().datagram, address, SERVER));
            }
            channel.flushInbound();
            channel.runScheduledPendingTasks();
            for (DatagramPacket sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
                sentBytes += sent.content().readableBytes();
                toServer.add(new Arrival(nowMs + ROUND_TRIP_MS / 2, sent.content(), address));
            }
        }
    }

    /** Writes a greeting to each new session. */
    private final class Greeting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < GREETING_MESSAGES; i++) {
                context.writeAndFlush(allocator.buffer(greetingBytes).writeZero(greetingBytes));
            }
        }
    }

    private record Arrival(long dueMs, ByteBuf datagram, InetSocketAddress from) {
    }

    private final MockTicker ticker = Ticker.newMockTicker();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final Queue<Arrival> toServer = new ArrayDeque<>();
    private final Map<InetSocketAddress, Client> clients = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(5);
    private final EmbeddedChannel server;
    private Consumer<KcpHandlerBuilder> clientSettings = builder -> { };
    private long nowMs;
    private int opened;
    private int greetingBytes;
    private long openingNanos;
    private long maxHeldBytes;
    private long mostHeldBytes;

    FloodedNetwork(Consumer<KcpHandlerBuilder> settings) {
        this(settings, session -> { });
    }

    /** Creates a network whose server sets up the pipeline of each session before it adds the echo handler. */
    FloodedNetwork(Consumer<KcpHandlerBuilder> settings, Consumer<KcpChannel> setup) {
        KcpHandlerBuilder builder = KcpHandler.server(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                opened++;
                work(openingNanos);
                setup.accept(session);
                session.pipeline().addLast(EchoHandler.INSTANCE);
                if (greetingBytes > 0) {
                    session.pipeline().addLast(new Greeting());
                }
            }
        }).childOption(ChannelOption.ALLOCATOR, allocator);
        settings.accept(builder);
        server = channel(builder.buildPipeline());
    }

    private EmbeddedChannel channel(ChannelHandler pipeline) {
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
        channel.config().setAllocator(allocator);
        channel.pipeline().addLast(pipeline);
        return channel;
    }

    /** Makes the server write a greeting of three messages to each new session, and limits the memory that all sessions hold. */
    void greet(int messageBytes, long heldBytesLimit) {
        greetingBytes = messageBytes;
        maxHeldBytes = heldBytesLimit;
    }

    /** Configures all clients that connect from now on. */
    void clients(Consumer<KcpHandlerBuilder> settings) {
        clientSettings = settings;
    }

    /** Makes each initialization of a session take some time of the event loop. */
    void openingTakes(long nanos) {
        openingNanos = nanos;
    }

    /** Returns the largest amount of memory that all sessions of the server have held at the end of a step. */
    long mostHeldBytes() {
        return mostHeldBytes;
    }

    UnpooledByteBufAllocator allocator() {
        return allocator;
    }

    Channel server() {
        return server;
    }

    long nowMs() {
        return nowMs;
    }

    long nowNanos() {
        return ticker.nanoTime();
    }

    /** Advances the clock within a step, which simulates work on the event loop of the server. */
    void work(long nanos) {
        ticker.advance(nanos, TimeUnit.NANOSECONDS);
    }

    int opened() {
        return opened;
    }

    Client connect(InetSocketAddress address, int conv, @Nullable CryptoConfig crypto) {
        return connect(address, conv, crypto, session -> { });
    }

    Client connect(InetSocketAddress address, int conv, @Nullable CryptoConfig crypto, Consumer<KcpChannel> setup) {
        Client client = new Client(address, conv, crypto, setup);
        clients.put(address, client);
        return client;
    }

    /** Delivers a datagram of the attacker within the current step. Takes ownership of the buffer. */
    void attack(InetSocketAddress from, ByteBuf datagram) {
        server.writeOneInbound(new DatagramPacket(datagram, SERVER, from));
    }

    void attack(InetSocketAddress from, int conv) {
        attack(from, WireSegment.datagram(allocator, WireSegment.push(conv, 0, 0, "x")));
    }

    /** Advances the clock by one millisecond, and delivers the datagrams of the clients that have arrived. */
    void step() {
        step(0, i -> { });
    }

    /**
     * Advances the clock by one millisecond, runs the attack, and delivers the datagrams of the clients that have arrived, at a random
     * position among the datagrams of the attack.
     */
    void step(int attacks, IntConsumer attack) {
        nowMs++;
        long behindNanos = TimeUnit.MILLISECONDS.toNanos(nowMs) - ticker.nanoTime();
        if (behindNanos > 0) {
            ticker.advance(behindNanos, TimeUnit.NANOSECONDS);
        }
        limitMemory();
        int before = random.nextInt(attacks + 1);
        for (int i = 0; i < before; i++) {
            attack.accept(i);
        }
        for (Arrival next = toServer.peek(); next != null && next.dueMs <= nowMs; next = toServer.peek()) {
            toServer.remove();
            server.writeOneInbound(new DatagramPacket(next.datagram, SERVER, next.from));
        }
        for (int i = before; i < attacks; i++) {
            attack.accept(i);
        }
        server.flushInbound();
        server.runScheduledPendingTasks();
        for (DatagramPacket sent = server.readOutbound(); sent != null; sent = server.readOutbound()) {
            Client client = clients.get(sent.recipient());
            if (client == null) {
                sent.release();
            } else {
                client.inbound.add(new Arrival(nowMs + ROUND_TRIP_MS / 2, sent.content(), SERVER));
            }
        }
        clients.values().forEach(Client::step);
        mostHeldBytes = Math.max(mostHeldBytes, LoopContext.of(server.eventLoop()).held().heldBytes());
    }

    /** Sets the memory limit again, because each new client adds an event loop, and all event loops share the memory of the JVM. */
    private void limitMemory() {
        if (maxHeldBytes > 0) {
            LoopContext loop = LoopContext.of(server.eventLoop());
            loop.nowMs();
            loop.held().setMaxHeldBytes(maxHeldBytes);
        }
    }

    KcpListenerStats stats() {
        Future<KcpListenerStats> stats = server.pipeline().get(KcpHandler.class).collectStats();
        while (!stats.isDone()) {
            server.runPendingTasks();
        }
        return stats.getNow();
    }

    long dropped(DropReason reason) {
        return DropCounters.of(server).snapshot().getOrDefault(reason, 0L);
    }

    /** Returns an IPv4 address from a number. */
    static InetSocketAddress address(int ip, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(
                new byte[] {(byte) (ip >> 24), (byte) (ip >> 16), (byte) (ip >> 8), (byte) ip}), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public void close() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        channels.add(server);
        clients.values().forEach(client -> channels.add(client.channel));
        SimulatedLink.finish(channels);
        toServer.forEach(arrival -> arrival.datagram.release());
        clients.values().forEach(client -> client.inbound.forEach(arrival -> arrival.datagram.release()));
        SimulatedLink.requireReleased(allocator);
    }
}
