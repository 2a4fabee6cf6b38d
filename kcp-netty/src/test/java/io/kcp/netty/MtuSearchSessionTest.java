package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.KcpStats;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions on real sockets search for a larger MTU if their transport can forbid the fragmentation of single datagrams. */
@Timeout(90)
@EnabledOnOs(OS.LINUX)
@Tag("jdk")
class MtuSearchSessionTest {

    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().mtuBytes(1_200).mtuSearchLimitBytes(1_500).build();
    private static final int MAX_MESSAGES = 5_000;
    private static final int FIRST_JAVA_WITH_DONT_FRAGMENT = 19;
    private static final String DONE = "MTU, open: ";

    /** Collects the new MTUs of a session. */
    private static final class MtuEvents extends ChannelInboundHandlerAdapter {

        private final List<Integer> mtus = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof KcpMtuEvent mtu) {
                mtus.add(mtu.mtuBytes());
            }
            context.fireUserEventTriggered(event);
        }
    }

    private static ChannelInitializer<KcpChannel> handlers(MessageCollector received, MtuEvents events) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(received, events);
            }
        };
    }

    private static KcpStats stats(KcpChannel session) {
        return Loopback.result(session.collectStats()).counters();
    }

    /** Sends messages one after the other until the search has found this MTU. */
    private static void sendUntil(int mtuBytes, KcpChannel session, MessageCollector received, MtuEvents events)
        throws InterruptedException {
        for (int i = 0; i < MAX_MESSAGES && !events.mtus.contains(mtuBytes); i++) {
            session.writeAndFlush(session.alloc().buffer().writeZero(10));
            received.next();
            Loopback.result(session.acknowledged());
        }
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"EPOLL", "NIO"})
    void searchFindsTheLimitOnTheLoopbackInterface(KcpTransport transport) throws InterruptedException {
        assertSearchFindsTheLimit(transport, null);
    }

    /** An FEC header would make the largest probe exceed the size limit of FEC, so it could not be sent. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"EPOLL", "NIO"})
    @Tag("slow")
    void searchFindsTheLimitWithFec(KcpTransport transport) throws InterruptedException {
        assertSearchFindsTheLimit(transport, FecConfig.of(2, 1));
    }

    private static void assertSearchFindsTheLimit(KcpTransport transport, @Nullable FecConfig fec) throws InterruptedException {
        assumeTrue(transport != KcpTransport.NIO || Runtime.version().feature() >= FIRST_JAVA_WITH_DONT_FRAGMENT,
            "NIO requires Java 19 to forbid fragmentation");
        MessageCollector received = new MessageCollector();
        MtuEvents events = new MtuEvents();
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(handlers(received, new MtuEvents())).fec(fec));
            KcpChannel client = loopback.connect(loopback.client(handlers(new MessageCollector(), events)).fec(fec)
                .option(KcpChannelOption.KCP_CONFIG, CONFIG), server.localAddress());
            sendUntil(CONFIG.mtuSearchLimitBytes(), client, received, events);
            assertThat(events.mtus).last().isEqualTo(CONFIG.mtuSearchLimitBytes());
            assertThat(stats(client).mtuIncreases()).isEqualTo(events.mtus.size());
        }
    }

    /** A peer whose read buffer is smaller than a datagram reads only the beginning of the datagram. */
    private static final class TruncatingPeer implements KcpOutput, Runnable {

        private static final int BUFFER_BYTES = 1_300;

        private final DatagramSocket socket;
        private SocketAddress client;

        TruncatingPeer(DatagramSocket socket) {
            this.socket = socket;
        }

        @Override
        public void run() {
            byte[] bytes = new byte[BUFFER_BYTES];
            Kcp kcp = null;
            try {
                while (true) {
                    DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
                    socket.receive(packet);
                    client = packet.getSocketAddress();
                    int nowMs = (int) (System.nanoTime() / 1_000_000);
                    ByteBuf datagram = Unpooled.wrappedBuffer(bytes, 0, packet.getLength()).copy();
                    if (kcp == null) {
                        kcp = new Kcp(datagram.getIntLE(0), KcpConfig.fast3(), this, UnpooledByteBufAllocator.DEFAULT,
                            0, nowMs);
                    }
                    kcp.input(datagram, false, nowMs);
                    datagram.release();
                    for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
                        message.release();
                    }
                    kcp.flush(nowMs);
                }
            } catch (IOException | UncheckedIOException closed) {
                // The test has closed the socket.
            }
        }

        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            return Unpooled.buffer(datagramBytes, datagramBytes);
        }

        @Override
        public void write(ByteBuf datagram) {
            try {
                socket.send(new DatagramPacket(datagram.array(), datagram.readableBytes(), client));
            } catch (IOException closed) {
                throw new UncheckedIOException(closed);
            } finally {
                datagram.release();
            }
        }
    }

    @Test
    void mtuStaysBelowTheReadBufferOfThePeer() throws Exception {
        assumeTrue(KcpTransport.EPOLL.isAvailable());
        MtuEvents events = new MtuEvents();
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            Loopback loopback = new Loopback(KcpTransport.EPOLL, 1)) {
            Thread peer = new Thread(new TruncatingPeer(socket), "truncating-peer");
            peer.setDaemon(true);
            peer.start();
            KcpChannel client = loopback.connect(loopback.client(handlers(new MessageCollector(), events))
                .option(KcpChannelOption.KCP_CONFIG, CONFIG), (InetSocketAddress) socket.getLocalSocketAddress());
            while (!events.mtus.contains(1_280)) {
                client.writeAndFlush(client.alloc().buffer().writeZero(10));
                Loopback.result(client.acknowledged());
            }
            assertThat(events.mtus).allSatisfy(mtu -> assertThat(mtu).isLessThanOrEqualTo(TruncatingPeer.BUFFER_BYTES));
            assertThat(stats(client).mtuReductions()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"IO_URING", "NIO"})
    void sessionKeepsItsMtuIfFragmentationCannotBeForbidden(KcpTransport transport) throws InterruptedException {
        assumeTrue(transport != KcpTransport.NIO || Runtime.version().feature() < FIRST_JAVA_WITH_DONT_FRAGMENT,
            "NIO forbids fragmentation since Java 19");
        MessageCollector received = new MessageCollector();
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(handlers(received, new MtuEvents()));
            KcpChannel client = loopback.connect(loopback.client(new MessageCollector())
                .option(KcpChannelOption.KCP_CONFIG, CONFIG), server.localAddress());
            for (int i = 0; i < 100; i++) {
                client.writeAndFlush(client.alloc().buffer().writeZero(10));
                received.next();
            }
            assertThat(stats(client).mtuProbes()).isZero();
        }
    }

    /** The kernel refuses large probes with {@code EMSGSIZE}, which does not close the session or reduce its MTU. */
    @Test
    @Tag("slow")
    void kernelRefusesLargeProbes() throws Exception {
        assumeTrue(KcpTransport.EPOLL.isAvailable());
        String[] result = NarrowRouteTest.resultOf(MtuSearchSessionTest.class, "ip link set lo mtu 1421 up", DONE);
        assertThat(result).containsExactly("1392", "true", "0");
    }

    /**
     * Runs the child process, in which one session searches.
     *
     * @param arguments none
     * @throws InterruptedException never
     */
    public static void main(String[] arguments) throws InterruptedException {
        MessageCollector received = new MessageCollector();
        MtuEvents events = new MtuEvents();
        try (Loopback loopback = new Loopback(KcpTransport.EPOLL, 1)) {
            KcpServerChannel server = loopback.bind(handlers(received, new MtuEvents()));
            KcpChannel client = loopback.connect(loopback.client(handlers(new MessageCollector(), events))
                .option(KcpChannelOption.KCP_CONFIG, CONFIG), server.localAddress());
            long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Loopback.PATIENCE_S);
            while (!events.mtus.contains(1_392) && System.nanoTime() - endNanos < 0) {
                sendUntil(1_392, client, received, events);
            }
            System.out.println(DONE + events.mtus.get(events.mtus.size() - 1) + " " + client.isActive() + " "
                + stats(client).mtuReductions());
        }
    }
}
