package io.kcp.netty;

import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.testkit.SimulatedLink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server or a client of {@link SimulatedHosts}, with one or several sockets and a link of its own to the other hosts. */
final class SimulatedHost {

    private static final int FIRST_PORT = 1_024;
    private static final int PORTS = 60_000;

    private final EmbeddedSockets memory;
    private final SimulatedLink outgoing;
    private final List<SimulatedSocket> sockets = new ArrayList<>();
    private final List<KcpChannel> accepted = new ArrayList<>();
    private InetSocketAddress address;
    private @Nullable BiPredicate<InetSocketAddress, byte[]> dropped;
    private long sentBytes;
    private long receivedBytes;

    SimulatedHost(EmbeddedSockets memory, InetSocketAddress address, SimulatedLink outgoing) {
        this.memory = memory;
        this.address = address;
        this.outgoing = outgoing;
    }

    // ---- addresses

    InetSocketAddress address() {
        return address;
    }

    /** Assigns the next port, as a NAT does that has lost its mapping. Datagrams to the previous address are discarded. */
    InetSocketAddress rebind() {
        int port = FIRST_PORT + (address.getPort() - FIRST_PORT + 1) % PORTS;
        return rebindTo(new InetSocketAddress(address.getAddress(), port));
    }

    InetSocketAddress rebindTo(InetSocketAddress newAddress) {
        address = newAddress;
        return address;
    }

    // ---- sockets and sessions

    void startServer(int socketCount, Consumer<KcpHandlerBuilder> settings, ChannelHandler handler) {
        startServer(socketCount, settings, session -> session.pipeline().addLast(handler));
    }

    /** Starts a server, or starts it again without the sessions that it had. The process that ends sends nothing more. */
    void startServer(int socketCount, Consumer<KcpHandlerBuilder> settings, Consumer<KcpChannel> initializer) {
        KcpHandlerBuilder builder = new KcpHandlerBuilder(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                accepted.add(session);
                initializer.accept(session);
            }
        }).childOption(ChannelOption.ALLOCATOR, memory.memory());
        settings.accept(builder);
        start(socketCount, builder.buildPipeline());
    }

    /** Starts a client, or starts it again without the sessions that it had. */
    void startClient(Consumer<KcpClientHandlerBuilder> settings) {
        KcpClientHandlerBuilder builder = new KcpClientHandlerBuilder();
        settings.accept(builder);
        start(1, builder.buildPipeline());
    }

    private void start(int socketCount, ChannelHandler pipeline) {
        sockets.forEach(SimulatedSocket::releaseArrived);
        sockets.clear();
        for (int i = 0; i < socketCount; i++) {
            SimulatedSocket socket = new SimulatedSocket(memory.ticker(), memory.memory(), pipeline);
            memory.add(socket);
            sockets.add(socket);
        }
    }

    KcpChannel connect(int conv, ChannelHandler handler) {
        return connect(conv, session -> session.pipeline().addLast(handler));
    }

    KcpChannel connect(int conv, Consumer<KcpChannel> initializer) {
        return handler().connect(SimulatedHosts.SERVER, conv, new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.config().setAllocator(memory.memory());
                initializer.accept(session);
            }
        }).syncUninterruptibly().channel();
    }

    private KcpHandler handler() {
        return sockets.get(0).pipeline().get(KcpHandler.class);
    }

    /** Returns the sessions that this host accepted, including those before a restart. */
    List<KcpChannel> accepted() {
        return accepted;
    }

    List<SimulatedSocket> sockets() {
        return sockets;
    }

    /** Returns the socket that receives the datagrams from an address, which depends on the address as with {@code SO_REUSEPORT}. */
    SimulatedSocket socketOf(InetSocketAddress peer) {
        return sockets.get(Math.floorMod(peer.getPort() * 31 + peer.getAddress().hashCode(), sockets.size()));
    }

    // ---- datagrams

    /** Drops the encrypted datagrams for whose destination and content the predicate returns {@code true}. */
    void drop(BiPredicate<InetSocketAddress, byte[]> predicate) {
        dropped = predicate;
    }

    void dropNothing() {
        dropped = null;
    }

    /** Stores a datagram from the network until the host runs. Takes ownership of the buffer. */
    void arrive(AddressedDatagram datagram) {
        receivedBytes += datagram.content().readableBytes();
        socketOf(datagram.from()).arrive(new DatagramPacket(datagram.content(), datagram.to(), datagram.from()));
    }

    /** Reads a datagram immediately, whose source address may be forged. Takes ownership of the buffer. */
    void receive(InetSocketAddress from, ByteBuf datagram) {
        socketOf(from).read(new DatagramPacket(datagram, address, from));
    }

    void receive(InetSocketAddress from, byte[] datagram) {
        receive(from, memory.memory().directBuffer().writeBytes(datagram));
    }

    /** Runs the event loops and sends their datagrams. Returns {@code true} if the host is to run again, because it was not idle. */
    boolean run() {
        boolean any = false;
        for (SimulatedSocket socket : sockets) {
            any |= socket.run();
            for (DatagramPacket packet = socket.readOutbound(); packet != null; packet = socket.readOutbound()) {
                any = true;
                send(packet);
            }
        }
        // A socket may have submitted a task to the event loop of a previous socket.
        return any || sockets.size() > 1 && sockets.stream().anyMatch(SimulatedSocket::hasPendingTasks);
    }

    long nextTaskNanos() {
        long next = Long.MAX_VALUE;
        for (SimulatedSocket socket : sockets) {
            next = Math.min(next, socket.nextTaskNanos());
        }
        return next;
    }

    private void send(DatagramPacket packet) {
        sentBytes += packet.content().readableBytes();
        if (dropped != null && dropped.test(packet.recipient(), ByteBufUtil.getBytes(packet.content()))) {
            packet.release();
        } else {
            outgoing.send(AddressedDatagram.write(memory.memory(), address, packet));
        }
    }

    // ---- counters

    /** Returns the size of all datagrams in both directions, without IP and UDP headers. */
    long wireBytes() {
        return sentBytes + receivedBytes;
    }

    KcpListenerStats stats() {
        Future<KcpListenerStats> stats = handler().collectStats();
        while (!stats.isDone()) {
            sockets.get(0).runPendingTasks();
        }
        return stats.getNow();
    }

    /** Returns the number of datagrams that all sockets have dropped for a reason. */
    long dropped(DropReason reason) {
        return sockets.stream().mapToLong(socket -> DropCounters.of(socket).snapshot().getOrDefault(reason, 0L)).sum();
    }
}
