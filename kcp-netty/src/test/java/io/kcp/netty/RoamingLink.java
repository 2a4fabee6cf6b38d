package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.PacketCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Simulates a server with several sockets and a client behind a NAT, without a network and with a simulated clock. {@link #rebind} assigns
 * a new address to the client and discards all later datagrams to the previous address. The address determines the socket of the server
 * that receives its datagrams, as with {@code SO_REUSEPORT}. A test can observe all datagrams and send further datagrams from any address.
 * Closing the link verifies that every buffer was released.
 */
final class RoamingLink extends SimulatedLink {

    static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);
    static final CryptoConfig CRYPTO = CryptoConfig.of("aes-128-gcm", new byte[16]);
    private static final int PORTS = 60_000;
    private static final int FIRST_PORT = 2_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<Socket> servers = new ArrayList<>();
    private final EmbeddedChannel client;
    private final List<KcpChannel> accepted = new ArrayList<>();
    private int port = FIRST_PORT;
    private InetSocketAddress nat = new InetSocketAddress("10.0.0.2", port);
    /** Returns {@code true} for a datagram of the client that is not delivered. */
    private BiPredicate<InetSocketAddress, byte[]> onClientSent = (from, datagram) -> false;
    private BiPredicate<InetSocketAddress, byte[]> onServerSent = (to, datagram) -> false;

    RoamingLink(int sockets, ChannelHandler serverHandler) {
        this(sockets, serverHandler, builder -> builder.roaming(true), builder -> builder.roaming(true));
    }

    RoamingLink(int sockets, ChannelHandler serverHandler, Consumer<KcpHandlerBuilder> serverSettings,
        Consumer<KcpHandlerBuilder> clientSettings) {
        KcpHandlerBuilder server = KcpHandler.server(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                accepted.add(session);
                session.pipeline().addLast(serverHandler);
            }
        }).crypto(CRYPTO).gro(false).gsoDatagrams(1).childOption(ChannelOption.ALLOCATOR, allocator);
        serverSettings.accept(server);
        ChannelHandler pipeline = server.buildPipeline();
        for (int i = 0; i < sockets; i++) {
            servers.add(channel(pipeline));
        }
        KcpHandlerBuilder opener = KcpHandler.client().crypto(CRYPTO).gro(false).gsoDatagrams(1);
        clientSettings.accept(opener);
        client = channel(opener.buildPipeline());
    }

    /** A socket whose event loop refuses tasks, because it has no memory for them, while {@link #tasksFail} is set. */
    static final class Socket extends EmbeddedChannel {

        private boolean tasksFail;

        private Socket(Builder builder) {
            super(builder);
        }

        void tasksFail(boolean fail) {
            tasksFail = fail;
        }

        @Override
        public EventLoop eventLoop() {
            if (tasksFail) {
                throw new OutOfMemoryError("no memory for a task, thrown by the test");
            }
            return super.eventLoop();
        }
    }

    private Socket channel(ChannelHandler pipeline) {
        Socket channel = new Socket(EmbeddedChannel.builder().ticker(ticker));
        channel.config().setAllocator(allocator);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(2 << 20, 4 << 20));
        channel.pipeline().addLast(pipeline);
        return channel;
    }

    KcpChannel connect(int conv, ChannelHandler handler) {
        KcpChannel session = client.pipeline().get(KcpHandler.class).connect(SERVER, conv, handler).syncUninterruptibly().channel();
        session.config().setAllocator(allocator);
        return session;
    }

    /** Opens a session and sends ten bytes in each direction. Returns the session of the client. */
    KcpChannel open(int conv, CountingStream clientStream, CountingStream serverStream) {
        KcpChannel session = connect(conv, clientStream);
        clientStream.write(session, 10);
        advanceMs(20);
        serverStream.write(accepted.get(0), 10);
        advanceMs(20);
        return session;
    }

    List<KcpChannel> accepted() {
        return accepted;
    }

    List<Socket> servers() {
        return servers;
    }

    UnpooledByteBufAllocator allocator() {
        return allocator;
    }

    InetSocketAddress nat() {
        return nat;
    }

    /** Returns the number of the server's socket that receives the datagrams from an address. */
    int socketOf(InetSocketAddress address) {
        return Math.floorMod(address.getPort() * 31 + address.getAddress().hashCode(), servers.size());
    }

    /** Assigns a new address to the client. */
    InetSocketAddress rebind() {
        port = FIRST_PORT + (port - FIRST_PORT + 1) % PORTS;
        nat = new InetSocketAddress("10.0.0.2", port);
        return nat;
    }

    void rebindTo(InetSocketAddress address) {
        nat = address;
    }

    /** Rebinds to an address that belongs to the same socket of the server, or to another one. */
    InetSocketAddress rebind(boolean otherSocket) {
        int before = socketOf(nat);
        do {
            rebind();
        } while (socketOf(nat) == before == otherSocket);
        return nat;
    }

    /**
     * Sets a predicate that observes the encrypted datagrams of the client. A datagram for which the predicate returns {@code true} is not
     * delivered.
     */
    void onClientSent(BiPredicate<InetSocketAddress, byte[]> action) {
        onClientSent = action;
    }

    void onServerSent(BiPredicate<InetSocketAddress, byte[]> action) {
        onServerSent = action;
    }

    /** Delivers a datagram to the server as if it had the given source address. */
    void send(InetSocketAddress from, byte[] datagram) {
        EmbeddedChannel server = servers.get(socketOf(from));
        server.writeOneInbound(new DatagramPacket(allocator.directBuffer().writeBytes(datagram), SERVER, from));
        server.flushInbound();
    }

    void deliverToClient(byte[] datagram) {
        client.writeOneInbound(new DatagramPacket(allocator.directBuffer().writeBytes(datagram), nat, SERVER));
        client.flushInbound();
    }

    /** Encrypts segments with the key of the server and the client. */
    byte[] seal(WireSegment... segments) {
        PacketCipher cipher = CRYPTO.newCipher(new SplittableRandom(Arrays.hashCode(segments))::nextBytes);
        ByteBuf bare = WireSegment.datagram(allocator, segments);
        ByteBuf sealed = Unpooled.directBuffer(2_048);
        try {
            sealed.setIndex(CRYPTO.headBytes(), CRYPTO.headBytes()).writeBytes(bare);
            cipher.seal(sealed);
            byte[] bytes = new byte[sealed.readableBytes()];
            sealed.readBytes(bytes);
            return bytes;
        } finally {
            bare.release();
            sealed.release();
        }
    }

    /** Decrypts a datagram and returns its segments. */
    static List<WireSegment> open(byte[] datagram) {
        ByteBuf buffer = Unpooled.wrappedBuffer(decrypt(datagram));
        return WireSegment.parse(buffer);
    }

    /** Decrypts a datagram, which may have an FEC header. */
    static byte[] decrypt(byte[] datagram) {
        ByteBuf buffer = Unpooled.directBuffer(datagram.length).writeBytes(datagram);
        try {
            if (!CRYPTO.newCipher(bytes -> Arrays.fill(bytes, (byte) 0)).open(buffer)) {
                throw new AssertionError("cannot open the datagram");
            }
            return ByteBufUtil.getBytes(buffer);
        } finally {
            buffer.release();
        }
    }

    long dropped(DropReason reason) {
        return servers.stream().mapToLong(
            server -> server.pipeline().get(KcpHandler.class).collectStats().getNow().dropped().getOrDefault(reason, 0L)).sum();
    }

    // ---- delivery

    @Override
    boolean carry() {
        return carryFromClient() | carryFromServers();
    }

    private boolean carryFromClient() {
        client.runPendingTasks();
        boolean any = false;
        for (DatagramPacket packet = client.readOutbound(); packet != null; packet = client.readOutbound()) {
            any = true;
            byte[] datagram = bytes(packet);
            if (!onClientSent.test(nat, datagram)) {
                send(nat, datagram);
            }
        }
        return any;
    }

    private boolean carryFromServers() {
        boolean any = false;
        servers.forEach(EmbeddedChannel::runPendingTasks);
        for (EmbeddedChannel server : servers) {
            for (DatagramPacket packet = server.readOutbound(); packet != null; packet = server.readOutbound()) {
                any = true;
                InetSocketAddress to = packet.recipient();
                byte[] datagram = bytes(packet);
                if (!onServerSent.test(to, datagram) && to.equals(nat)) {
                    client.writeOneInbound(new DatagramPacket(allocator.directBuffer().writeBytes(datagram), to, SERVER));
                }
            }
        }
        client.flushInbound();
        return any;
    }

    private static byte[] bytes(DatagramPacket packet) {
        byte[] datagram = new byte[packet.content().readableBytes()];
        packet.content().readBytes(datagram);
        packet.release();
        return datagram;
    }

    @Override
    List<EmbeddedChannel> channels() {
        return Stream.<EmbeddedChannel>concat(servers.stream(), Stream.of(client)).toList();
    }

    @Override
    UnpooledByteBufAllocator memory() {
        return allocator;
    }
}
