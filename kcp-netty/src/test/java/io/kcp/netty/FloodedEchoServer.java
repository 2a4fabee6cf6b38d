package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.testkit.LinkProfile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An echo server, clients with a round-trip time of {@value #ROUND_TRIP_MS} ms, and an attacker that sends datagrams from any address, on
 * {@link SimulatedHosts}. The attack advances in steps of one millisecond.
 */
public final class FloodedEchoServer implements AutoCloseable {

    public static final int ROUND_TRIP_MS = 200;
    private static final int GREETING_MESSAGES = 3;
    /** Datagrams arrive at whole milliseconds, because they would otherwise arrive mostly when the attack has just used up a budget. */
    private static final LinkProfile LINK = LinkProfile.builder().delayMs(ROUND_TRIP_MS / 2).releaseIntervalMs(1).build();

    /** Writes a greeting to each new session. */
    private final class Greeting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < GREETING_MESSAGES; i++) {
                context.writeAndFlush(context.alloc().buffer(greetingBytes).writeZero(greetingBytes));
            }
        }
    }

    private final SimulatedHosts hosts = new SimulatedHosts();
    private final SimulatedHost server = hosts.addServer(LINK);
    private final SplittableRandom random = new SplittableRandom(5);
    private Consumer<KcpClientHandlerBuilder> clientSettings = builder -> { };
    private int greetingBytes;
    private long openingNanos;
    private long maxHeldBytes;
    private long mostHeldBytes;

    public FloodedEchoServer(Consumer<KcpHandlerBuilder> settings) {
        this(settings, session -> { });
    }

    /** Creates a server that sets up the pipeline of each session before it adds the echo handler. */
    public FloodedEchoServer(Consumer<KcpHandlerBuilder> settings, Consumer<KcpChannel> setup) {
        server.startServer(1, settings, session -> {
            hosts.work(openingNanos);
            setup.accept(session);
            session.pipeline().addLast(EchoHandler.INSTANCE);
            if (greetingBytes > 0) {
                session.pipeline().addLast(new Greeting());
            }
        });
    }

    // ---- settings

    /** Makes the server write a greeting of three messages to each new session, and limits the memory that all sessions hold. */
    void greet(int messageBytes, long heldBytesLimit) {
        greetingBytes = messageBytes;
        maxHeldBytes = heldBytesLimit;
    }

    /** Configures all clients that connect from now on. */
    public void clients(Consumer<KcpClientHandlerBuilder> settings) {
        clientSettings = settings;
    }

    /** Makes each initialization of a session take some time of the event loop. */
    public void openingTakes(long nanos) {
        openingNanos = nanos;
    }

    // ---- clients and attackers

    public EchoClient connect(InetSocketAddress address, int conv, @Nullable CryptoConfig crypto) {
        return connect(address, conv, crypto, session -> { });
    }

    public EchoClient connect(InetSocketAddress address, int conv, @Nullable CryptoConfig crypto, Consumer<KcpChannel> setup) {
        SimulatedHost host = hosts.add(address, LINK);
        host.startClient(builder -> clientSettings.accept(builder.crypto(crypto)));
        return new EchoClient(hosts, host, conv, setup);
    }

    /** Delivers a datagram of the attacker within the current step. Takes ownership of the buffer. */
    void attack(InetSocketAddress from, ByteBuf datagram) {
        server.receive(from, datagram);
    }

    void attack(InetSocketAddress from, int conv) {
        attack(from, WireSegment.datagram(allocator(), WireSegment.push(conv, 0, 0, "x")));
    }

    // ---- time

    /** Runs everything for one millisecond. */
    void step() {
        step(0, i -> { });
    }

    /**
     * Runs everything for one millisecond. At its end, runs the attack, and delivers the datagrams of the clients that have arrived, at a
     * random position among the datagrams of the attack.
     */
    void step(int attacks, IntConsumer attack) {
        hosts.schedule(1, () -> {
            limitMemory();
            int before = random.nextInt(attacks + 1);
            for (int i = 0; i < before; i++) {
                attack.accept(i);
            }
            server.sockets().get(0).readArrived();
            for (int i = before; i < attacks; i++) {
                attack.accept(i);
            }
        });
        hosts.runForMs(1);
        mostHeldBytes = Math.max(mostHeldBytes, held().heldBytes());
    }

    public void runForMs(long durationMs) {
        runUntil(() -> false, durationMs);
    }

    /** Runs until a condition is met or the time limit is reached. Returns {@code true} if the condition is met. */
    boolean runUntil(BooleanSupplier condition, long limitMs) {
        for (long ms = 0; ms < limitMs && !condition.getAsBoolean(); ms++) {
            step();
        }
        return condition.getAsBoolean();
    }

    /** Simulates work on the event loop of the server. */
    void work(long nanos) {
        hosts.work(nanos);
    }

    long nowMs() {
        return hosts.nowMs();
    }

    long nowNanos() {
        return hosts.nowNanos();
    }

    // ---- memory and counters

    UnpooledByteBufAllocator allocator() {
        return hosts.allocator();
    }

    /** Returns the memory that all sessions of the server hold. */
    MemoryLimit held() {
        return LoopContext.of(server.sockets().get(0).eventLoop()).memoryLimit();
    }

    /** Returns the largest amount of memory that all sessions of the server have held at the end of a step. */
    long mostHeldBytes() {
        return mostHeldBytes;
    }

    /** Sets the memory limit again, because each new client adds an event loop, and all event loops share the memory of the JVM. */
    private void limitMemory() {
        if (maxHeldBytes > 0) {
            LoopContext.of(server.sockets().get(0).eventLoop()).nowMs();
            held().setMaxHeldBytes(maxHeldBytes);
        }
    }

    int opened() {
        return server.accepted().size();
    }

    KcpListenerStats stats() {
        return server.stats();
    }

    long dropped(DropReason reason) {
        return server.dropped(reason);
    }

    @Override
    public void close() {
        hosts.close();
    }
}
