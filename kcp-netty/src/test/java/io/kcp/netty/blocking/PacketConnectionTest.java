package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.packet.PacketCodec;
import io.kcp.netty.packet.PacketException;
import io.kcp.netty.packet.PacketFormat;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.Future;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadPendingException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests packets over blocking sockets. */
@Timeout(60)
@Tag("jdk")
class PacketConnectionTest {

    private static final int[] SIZES = {0, 1, 4, 8_183, 8_184, 8_185, 8_188, 8_189, 8_192, 8_193, 100_000, 1_000_000};

    private static byte[] content(SplittableRandom random, int length) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return payload;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void packetsOfAllSizesAreExchanged(boolean checksum) throws Exception {
        long seed = 21;
        PacketFormat format = PacketFormat.DEFAULT.withChecksum(checksum);
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection client = new PacketConnection(pair.client, format);
            PacketConnection server = new PacketConnection(pair.accepted, format);
            Blocked<Integer> sender = Blocked.start(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                for (int size : SIZES) {
                    client.send(content(random, size));
                    client.send(ByteBuffer.wrap(content(random, 10)).position(3));
                }
                return SIZES.length;
            });
            SplittableRandom random = new SplittableRandom(seed);
            for (int size : SIZES) {
                assertThat(server.receive()).as("seed %d, size %d", seed, size).isEqualTo(content(random, size));
                byte[] ten = content(random, 10);
                assertThat(server.receive()).isEqualTo(java.util.Arrays.copyOfRange(ten, 3, 10));
            }
            assertThat(sender.result()).isEqualTo(SIZES.length);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void formatIsThatOfTheCodec(boolean checksum) throws Exception {
        PacketFormat format = PacketFormat.DEFAULT.withChecksum(checksum);
        try (BlockingPair pair = new BlockingPair()) {
            KcpServerChannel server = pair.loopback.bind(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.config().setOption(KcpChannelOption.MODE, KcpTransferMode.STREAM);
                    session.pipeline().addLast(new PacketCodec(format), new PacketEcho());
                }
            });
            SplittableRandom random = new SplittableRandom(4);
            KcpSocket socket = KcpSocket.connect(pair.bootstrap(), server.localAddress());
            PacketConnection connection = new PacketConnection(socket, format);
            for (int size : SIZES) {
                byte[] payload = content(random, size);
                connection.send(payload);
                assertThat(connection.receive()).isEqualTo(payload);
            }
            BlockingPair.closed(socket);
        }
    }

    private static final class PacketEcho extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object packet) {
            context.writeAndFlush(packet);
        }
    }

    @Test
    void endBetweenPacketsIsNullAndWithinAPacketAnException() throws Exception {
        try (TcpPair pair = new TcpPair()) {
            PacketConnection client = new PacketConnection(pair.client);
            PacketConnection server = new PacketConnection(pair.accepted);
            client.send(new byte[3]);
            pair.client.shutdownOutput();
            assertThat(server.receive()).hasSize(3);
            assertThat(server.receive()).isNull();
            pair.accepted.getOutputStream().write(new byte[] {5, 0, 0, 0, 1, 2});
            pair.accepted.shutdownOutput();
            assertThatThrownBy(client::receive).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void announcedLengthAboveTheLimitClosesTheConnection() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection server = new PacketConnection(pair.accepted, PacketFormat.DEFAULT.withMaxPayloadBytes(100));
            pair.client.getOutputStream().write(new byte[] {-1, -1, -1, -1});
            assertThatThrownBy(server::receive).isInstanceOf(KcpSocketException.class)
                .cause().isInstanceOfSatisfying(PacketException.class,
                    refused -> assertThat(refused.reason()).isEqualTo(PacketException.Reason.PAYLOAD_TOO_LARGE));
            assertThat(pair.accepted.isClosed()).isTrue();
        }
    }

    @Test
    void wrongChecksumClosesTheConnection() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection server = new PacketConnection(pair.accepted, PacketFormat.DEFAULT.withChecksum(true));
            pair.client.getOutputStream().write(new byte[] {1, 0, 0, 0, 7, 1, 2, 3, 4});
            assertThatThrownBy(server::receive).isInstanceOf(KcpSocketException.class)
                .cause().isInstanceOfSatisfying(PacketException.class,
                    refused -> assertThat(refused.reason()).isEqualTo(PacketException.Reason.CHECKSUM_MISMATCH));
            assertThat(pair.accepted.isClosed()).isTrue();
        }
    }

    @Test
    void receiveContinuesAfterATimeout() throws Exception {
        byte[] bytes = {9, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection server = new PacketConnection(pair.accepted);
            pair.accepted.setSoTimeout(20);
            for (int i = 0; i < bytes.length - 1; i++) {
                pair.client.getOutputStream().write(bytes[i]);
                assertThatThrownBy(server::receive).isInstanceOf(SocketTimeoutException.class);
            }
            pair.accepted.setSoTimeout(0);
            pair.client.getOutputStream().write(bytes[bytes.length - 1]);
            assertThat(server.receive()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void timeoutAppliesToAWholePacket() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection server = new PacketConnection(pair.accepted);
            pair.accepted.setSoTimeout(1_000);
            pair.client.getOutputStream().write(new byte[] {0, 0, 16, 0});
            Future<?> drip = pair.client.channel().eventLoop().scheduleAtFixedRate(() -> writeByte(pair.client), 20, 20,
                TimeUnit.MILLISECONDS);
            assertThatThrownBy(server::receive).isInstanceOf(SocketTimeoutException.class);
            drip.cancel(false);
        }
    }

    private static void writeByte(KcpSocket socket) {
        try {
            socket.getOutputStream().write(1);
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }

    @Test
    void connectionThatSendsNothingAllocatesNoFrame() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            new PacketConnection(pair.accepted);
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            PacketConnection receiver = new PacketConnection(pair.accepted);
            assertThat(threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before).isLessThan(2_000);
            new PacketConnection(pair.client).send(new byte[5]);
            assertThat(receiver.receive()).hasSize(5);
        }
    }

    @Test
    void sendAboveTheLimitFailsAndSendsNothing() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection client = new PacketConnection(pair.client, PacketFormat.DEFAULT.withMaxPayloadBytes(10));
            assertThatThrownBy(() -> client.send(new byte[11])).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("11");
            client.send(new byte[10]);
            assertThat(new PacketConnection(pair.accepted).receive()).hasSize(10);
        }
    }

    @Test
    void sendThatTimesOutInTheMiddleOfAPacketClosesTheConnection() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection client = new PacketConnection(pair.client);
            pair.client.setWriteTimeout(100);
            assertThatThrownBy(() -> client.send(new byte[5_000_000])).isInstanceOf(SocketTimeoutException.class);
            assertThat(pair.client.isClosed()).isTrue();
        }
    }

    @Test
    void secondReceiverIsRefused() throws Exception {
        try (BlockingPair pair = new BlockingPair()) {
            PacketConnection server = new PacketConnection(pair.accepted);
            Blocked<byte[]> receiver = Blocked.untilBlocked(server::receive);
            assertThatThrownBy(server::receive).isInstanceOf(ReadPendingException.class);
            new PacketConnection(pair.client).send(new byte[2]);
            assertThat(receiver.result()).hasSize(2);
        }
    }
}
