package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.testkit.LinkFate;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.PcapFile;
import io.kcp.testkit.SeededRun;
import io.kcp.testkit.SimulatedLink;
import io.kcp.testkit.SimulatedNetwork;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a server and clients whose datagrams pass through {@link SimulatedLink}s. Each host has a link of its own to the other hosts,
 * and may have several sockets. Hosts can restart and clients can get a new address. Closing this object verifies that every buffer was
 * released, and reports the trace hash. The hash contains times, addresses, sizes and fates of all datagrams. It does not contain the
 * content of the datagrams, because nonces and timestamp bases are random.
 */
final class SimulatedHosts implements AutoCloseable {

    static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);
    private static final int CLIENT_PORT = 5_000;
    private static final int IPV4_BYTES = 4;
    private static final int ADDRESSES_BYTES = 2 * (IPV4_BYTES + Short.BYTES);
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** The layers below the sessions. */
    enum Layers {
        PLAIN(null, null),
        FEC(FecConfig.of(10, 3), null),
        CIPHER(null, CryptoConfig.of("aes-128-gcm", new byte[16])),
        FEC_AND_CIPHER(FEC.fec, CIPHER.crypto);

        private final @Nullable FecConfig fec;
        private final @Nullable CryptoConfig crypto;

        Layers(@Nullable FecConfig fec, @Nullable CryptoConfig crypto) {
            this.fec = fec;
            this.crypto = crypto;
        }

        KcpHandlerBuilder apply(KcpHandlerBuilder builder) {
            return builder.fec(fec).crypto(crypto).gro(false).gsoDatagrams(1);
        }
    }

    /** A server or a client. */
    final class Host {

        private final SimulatedLink outgoing;
        private final List<EmbeddedChannel> sockets = new ArrayList<>();
        private final List<KcpChannel> accepted = new ArrayList<>();
        private InetSocketAddress address;

        private Host(InetSocketAddress address, LinkProfile profile) {
            this.address = address;
            int id = hosts.size();
            outgoing = network.newLink(profile, random.nextLong(), SimulatedHosts.this::route);
            outgoing.addObserver((datagram, fate, nowUs) -> record(id, datagram, fate, nowUs));
            hosts.add(this);
        }

        InetSocketAddress address() {
            return address;
        }

        /** Returns the sessions that this host accepted, including those before a restart. */
        List<KcpChannel> accepted() {
            return accepted;
        }

        /** Assigns a new address. Datagrams to the previous address are discarded. */
        void rebind() {
            address = new InetSocketAddress(address.getAddress(), address.getPort() + 1);
        }

        KcpChannel connect(int conv, ChannelHandler handler) {
            KcpChannel session = sockets.get(0).pipeline().get(KcpHandler.class).connect(SERVER, conv, handler).syncUninterruptibly()
                .channel();
            session.config().setAllocator(allocator);
            return session;
        }

        /** Starts a server, or starts it again without the sessions that it had. The process that ends sends nothing more. */
        void startServer(int socketCount, UnaryOperator<KcpHandlerBuilder> settings, Function<KcpChannel, ChannelHandler> handlers) {
            start(socketCount, settings.apply(KcpHandler.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    accepted.add(session);
                    session.pipeline().addLast(handlers.apply(session));
                }
            }).childOption(ChannelOption.ALLOCATOR, allocator)));
        }

        /** Starts a client, or starts it again without the sessions that it had. */
        void startClient(UnaryOperator<KcpHandlerBuilder> settings) {
            start(1, settings.apply(KcpHandler.client()));
        }

        private void start(int socketCount, KcpHandlerBuilder builder) {
            ended.addAll(sockets);
            sockets.clear();
            ChannelHandler pipeline = builder.buildPipeline();
            for (int i = 0; i < socketCount; i++) {
                EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
                channel.config().setAllocator(allocator);
                channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(2 << 20, 4 << 20));
                channel.pipeline().addLast(pipeline);
                sockets.add(channel);
            }
        }

        private EmbeddedChannel socketOf(InetSocketAddress peer) {
            return sockets.get(Math.floorMod(peer.getPort() * 31 + peer.getAddress().hashCode(), sockets.size()));
        }

        private boolean sendAll() {
            boolean any = false;
            for (EmbeddedChannel socket : sockets) {
                socket.runPendingTasks();
                for (DatagramPacket packet = socket.readOutbound(); packet != null; packet = socket.readOutbound()) {
                    any = true;
                    outgoing.send(withAddresses(address, packet));
                }
            }
            return any;
        }
    }

    private final SeededRun run;
    private final @Nullable PcapFile capture;
    private final SplittableRandom random;
    private final SimulatedNetwork network = new SimulatedNetwork();
    private final MockTicker ticker = Ticker.newMockTicker();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final List<Host> hosts = new ArrayList<>();
    private final List<EmbeddedChannel> ended = new ArrayList<>();
    private long trace;

    SimulatedHosts(SeededRun run) {
        this.run = run;
        capture = run.newCapture();
        random = new SplittableRandom(run.seed());
    }

    /** Adds the server, which must be started before it can receive. */
    Host addServer(LinkProfile outgoing) {
        return new Host(SERVER, outgoing);
    }

    /** Adds a client, which must be started before it can send. */
    Host addClient(LinkProfile outgoing) {
        return new Host(new InetSocketAddress("10.0.1." + hosts.size(), CLIENT_PORT), outgoing);
    }

    // ---- datagrams

    private ByteBuf withAddresses(InetSocketAddress from, DatagramPacket packet) {
        ByteBuf content = packet.content();
        ByteBuf datagram = allocator.directBuffer(ADDRESSES_BYTES + content.readableBytes());
        writeAddress(datagram, from);
        writeAddress(datagram, packet.recipient());
        datagram.writeBytes(content);
        packet.release();
        return datagram;
    }

    private static void writeAddress(ByteBuf out, InetSocketAddress address) {
        out.writeBytes(address.getAddress().getAddress()).writeShort(address.getPort());
    }

    private static InetSocketAddress readAddress(ByteBuf in) {
        byte[] ip = new byte[IPV4_BYTES];
        in.readBytes(ip);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(ip), in.readUnsignedShort());
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void record(int host, ByteBuf datagram, LinkFate fate, long nowUs) {
        ByteBuf content = datagram.duplicate();
        InetSocketAddress from = readAddress(content);
        InetSocketAddress to = readAddress(content);
        addToTrace(nowUs);
        addToTrace(((long) host * LinkFate.values().length + fate.ordinal() << Integer.SIZE) + content.readableBytes());
        addToTrace((long) from.getPort() << Integer.SIZE | to.getPort());
        if (capture != null) {
            capture.write(nowUs, from, to, content, fate);
        }
    }

    private void addToTrace(long value) {
        trace = (trace ^ value) * GOLDEN;
        trace ^= trace >>> 29;
    }

    private void route(ByteBuf datagram) {
        InetSocketAddress from = readAddress(datagram);
        InetSocketAddress to = readAddress(datagram);
        for (Host host : hosts) {
            if (host.address.equals(to) && !host.sockets.isEmpty()) {
                synchronizeClock();
                EmbeddedChannel socket = host.socketOf(from);
                socket.writeOneInbound(new DatagramPacket(datagram, to, from));
                network.scheduleAfterArrivals(network.nowUs(), socket::flushInbound);
                return;
            }
        }
        datagram.release();
    }

    // ---- time

    long nowMs() {
        return network.nowUs() / 1_000;
    }

    /** Runs until a condition is met or the time limit is reached. Returns {@code true} if the condition is met. */
    boolean runUntil(BooleanSupplier condition, long limitMs) {
        long limitUs = network.nowUs() + limitMs * 1_000;
        settle();
        while (!condition.getAsBoolean()) {
            long timerUs = nextTimerUs();
            settle();
            boolean ran = network.runNext(Math.min(limitUs, timerUs));
            synchronizeClock();
            settle();
            if (!ran && network.nowUs() >= limitUs) {
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    void runForMs(long durationMs) {
        runUntil(() -> false, durationMs);
    }

    private void synchronizeClock() {
        long nanos = TimeUnit.MICROSECONDS.toNanos(network.nowUs()) - ticker.nanoTime();
        if (nanos > 0) {
            ticker.advance(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private long nextTimerUs() {
        long nextUs = Long.MAX_VALUE;
        for (Host host : hosts) {
            for (EmbeddedChannel socket : host.sockets) {
                long nanos = socket.runScheduledPendingTasks();
                if (nanos >= 0) {
                    nextUs = Math.min(nextUs, network.nowUs() + Math.max(1, (nanos + 999) / 1_000));
                }
            }
        }
        return nextUs;
    }

    private void settle() {
        boolean sent = true;
        while (sent) {
            sent = false;
            for (Host host : hosts) {
                sent |= host.sendAll();
            }
        }
    }

    @Override
    public void close() {
        run.addTrace(trace);
        network.release();
        List<EmbeddedChannel> all = new ArrayList<>(ended);
        hosts.forEach(host -> all.addAll(host.sockets));
        all.forEach(channel -> {
            channel.finishAndReleaseAll();
            channel.runPendingTasks();
        });
        all.forEach(EmbeddedChannel::runPendingTasks);
        all.forEach(EmbeddedChannel::checkException);
        long left = allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes in buffers were not released");
        }
    }
}
