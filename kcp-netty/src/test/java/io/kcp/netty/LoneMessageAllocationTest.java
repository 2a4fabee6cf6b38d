package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.socket.BatchReceiveAllocator;
import io.kcp.test.MedianAllocation;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures the heap memory that the event loop of an epoll server allocates per datagram, while many clients in turn send a message of 64
 * bytes, receive its echo and acknowledge the echo. Plain UDP with the same datagrams shows what Netty's packets and addresses take.
 */
@Timeout(300)
@Tag("jdk")
@Tag("allocation")
class LoneMessageAllocationTest {

    private static final int CLIENTS = 64;
    /** Number of datagrams that wait in the socket together, so that one system call reads several. */
    private static final int BURST = 16;
    private static final int ROUNDS = 20;
    private static final int UDP_WARM_UP = 20;
    /** The message, its echo with an acknowledgement, and the acknowledgement of the echo. */
    private static final int DATAGRAMS = 3;
    private static final String PAYLOAD = "x".repeat(64);
    private static final int DATAGRAM_BYTES = 2_048;
    private static final int ECHO_BYTES = 112;
    private static final int ACK_BYTES = 24;
    private static final long LIMIT_BYTES = 200;
    /** A {@link KcpDatagram} has more fields than Netty's packet. Tasks that run once per second or millisecond add a few bytes. */
    private static final long OWN_BYTES = 16;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final DatagramSocket[] clients = new DatagramSocket[CLIENTS];
    private final java.net.DatagramPacket received = new java.net.DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
    private ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final AtomicBoolean blocked = new AtomicBoolean();
    private final AtomicBoolean spinning = new AtomicBoolean();
    private final Runnable whileBlocked = this::spinWhileBlocked;
    private int sn;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(KcpTransport.EPOLL.isAvailable(), "epoll does not work here");
        // Without sun.misc.Unsafe, as on JDK 25 by default, Netty's direct buffers create a ByteBuffer for each access to several bytes.
        assumeTrue(PlatformDependent.hasUnsafe(), "Netty does not use sun.misc.Unsafe on this version of Java");
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            clients[i].setSoTimeout(30_000);
        }
    }

    @AfterEach
    void close() {
        ResourceLeakDetector.setLevel(level);
        for (DatagramSocket client : clients) {
            if (client != null) {
                client.close();
            }
        }
    }

    @Test
    void messageOfOneSessionAllocatesNoMoreThanItsPackets() throws Exception {
        check(1);
    }

    @Test
    @Tag("slow")
    void messagesOfManySessionsAllocateNoMoreThanTheirPackets() throws Exception {
        check(BURST);
    }

    private void check(int burst) throws Exception {
        long udpBytes = allocated(burst, this::bindUdp, measurement -> MedianAllocation.afterWarmUp(UDP_WARM_UP, measurement));
        long limit = Math.min(LIMIT_BYTES, udpBytes + OWN_BYTES);
        assertThat(allocated(burst, this::bindKcp, measurement -> MedianAllocation.of(limit, measurement)))
            .as("limit with %d bytes of plain UDP", udpBytes).isLessThanOrEqualTo(limit);
    }

    /** Repeats a measurement, and returns one number for all results. */
    private interface Repetition {
        long bytes(MedianAllocation.Measurement measurement) throws Exception;
    }

    /** Binds a server on an event loop. */
    private interface Server {
        Channel bind(EventLoopGroup group) throws InterruptedException;
    }

    /** Returns the number of bytes that the event loop of a server allocates per datagram. */
    private long allocated(int burst, Server kind, Repetition repetition) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.EPOLL.sleepingIoHandlerFactory());
        try {
            long thread = group.submit(() -> Thread.currentThread().getId()).get();
            SocketAddress server = kind.bind(group).localAddress();
            sn = 0;
            return repetition.bytes(() -> {
                long before = threads.getThreadAllocatedBytes(thread);
                for (int i = 0; i < ROUNDS; i++) {
                    exchange(group, burst, server);
                }
                return (threads.getThreadAllocatedBytes(thread) - before) / (ROUNDS * CLIENTS * DATAGRAMS);
            });
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    /** Each client sends one message. The event loop is blocked while the clients of a burst send. */
    private void exchange(EventLoopGroup group, int burst, SocketAddress server) throws Exception {
        byte[][] messages = new byte[CLIENTS][];
        byte[][] acknowledgements = new byte[CLIENTS][];
        for (int i = 0; i < CLIENTS; i++) {
            messages[i] = bytes(WireSegment.push(i, sn, sn, PAYLOAD));
        }
        sn++;
        for (int from = 0; from < CLIENTS; from += burst) {
            send(group, from, burst, messages, server);
            for (int i = from; i < from + burst; i++) {
                WireSegment echo = receiveEcho(clients[i]);
                acknowledgements[i] = bytes(new WireSegment(i, SegmentHeader.CMD_ACK, 0, WireSegment.WINDOW, echo.ts(), echo.sn(), sn, ""));
            }
            send(group, from, burst, acknowledgements, server);
        }
    }

    private void send(EventLoopGroup group, int from, int burst, byte[][] datagrams, SocketAddress server) throws IOException {
        boolean blocks = burst > 1;
        if (blocks) {
            blocked.set(true);
            group.execute(whileBlocked);
            spinUntil(true);
        }
        for (int i = from; i < from + burst; i++) {
            clients[i].send(new java.net.DatagramPacket(datagrams[i], datagrams[i].length, server));
        }
        blocked.set(false);
        spinUntil(false);
    }

    private void spinUntil(boolean isSpinning) {
        while (spinning.get() != isSpinning) {
            Thread.yield();
        }
    }

    private void spinWhileBlocked() {
        spinning.set(true);
        while (blocked.get()) {
            Thread.yield();
        }
        spinning.set(false);
    }

    /** Returns the echo of the latest message. On a busy machine, retransmissions of earlier echoes may precede it. */
    private WireSegment receiveEcho(DatagramSocket client) throws IOException {
        while (true) {
            client.receive(received);
            ByteBuf datagram = Unpooled.wrappedBuffer(received.getData(), 0, received.getLength());
            for (WireSegment segment : WireSegment.parse(datagram)) {
                if (segment.isPush() && segment.sn() == sn - 1) {
                    return segment;
                }
            }
        }
    }

    private static byte[] bytes(WireSegment segment) {
        ByteBuf datagram = WireSegment.datagram(UnpooledByteBufAllocator.DEFAULT, segment);
        byte[] bytes = ByteBufUtil.getBytes(datagram);
        datagram.release();
        return bytes;
    }

    private Channel bindKcp(EventLoopGroup group) throws InterruptedException {
        KcpConfig config = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.MESSAGE).ackNoDelay(true).build();
        return new KcpServerBootstrap().group(group).config(config).childHandler(EchoHandler.INSTANCE)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
    }

    private Channel bindUdp(EventLoopGroup group) throws InterruptedException {
        return new Bootstrap().group(group).channelFactory(KcpTransport.EPOLL.channelFactory()).handler(new DatagramEcho())
            .option(ChannelOption.RECVBUF_ALLOCATOR, new BatchReceiveAllocator())
            .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, BatchReceiveAllocator.DATAGRAM_BYTES)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
    }

    /** Sends a datagram of the length of a KCP echo for each message, and nothing for an acknowledgement. */
    private static final class DatagramEcho extends ChannelInboundHandlerAdapter {

        private final ByteBuf answer = Unpooled.directBuffer(ECHO_BYTES);

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            ByteBuf content = packet.content();
            if (content.readableBytes() > ACK_BYTES) {
                answer.clear().writeBytes(content, content.readerIndex(), content.readableBytes()).writeZero(ACK_BYTES);
                context.write(new DatagramPacket(answer.retain(), packet.sender()), context.voidPromise());
                context.flush();
            }
            packet.release();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            answer.release();
        }
    }
}
