package io.kcp.bench;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures all handlers of a datagram channel, without a socket, while a client and a server pass one message back and forth. In one
 * operation, one side receives and sends one datagram with the message and the acknowledgement of the previous message, and its share of
 * the parity. The cost of the embedded channel is included.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar PipelineBenchmark -prof gc</pre>
 */
public class PipelineBenchmark extends NanosecondBenchmark {

    private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 5_000);
    private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);
    private static final int CONV = 1;
    private static final String NONE = "null";

    /** Name of the cipher, or "null" to disable encryption. */
    @Param({NONE, "aes-128", "aes-128-gcm"})
    public String layerCipher = NONE;

    /** FEC shape of both sides, or "null" to disable FEC. */
    @Param({NONE, "10:3"})
    public String layerFec = NONE;

    /** Payload size of the message. Even with cipher and FEC, 1,200 bytes fit into one datagram. */
    @Param({"64", "1200"})
    public int payloadBytes;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedChannel client;
    @SuppressWarnings("NullAway.Init")
    private EmbeddedChannel server;
    private boolean toServer;

    /** Opens a session and writes the first message. */
    @Setup
    public void open() {
        KcpHandler clientSessions = new KcpClientHandlerBuilder().build();
        client = channel(clientSessions);
        server = channel(new KcpHandlerBuilder(new Echo()).build());
        KcpChannel session = clientSessions.connect(SERVER, CONV, new Echo()).channel();
        client.runPendingTasks();
        session.writeAndFlush(ByteBufAllocator.DEFAULT.directBuffer(payloadBytes).writeZero(payloadBytes));
        toServer = true;
    }

    private EmbeddedChannel channel(KcpHandler sessions) {
        EmbeddedChannel channel = new EmbeddedChannel();
        if (!layerCipher.equals(NONE)) {
            channel.pipeline().addLast(new CryptoCodec(CryptoConfig.kcptun(layerCipher, "it's a secrect")));
        }
        FecConfig fec = layerFec.equals(NONE) ? null : FecConfig.of(FecShape.parse(layerFec));
        channel.pipeline().addLast(new FecCodec(fec), sessions);
        return channel;
    }

    /** Closes both channels and thereby releases all buffers. */
    @TearDown
    public void close() {
        client.finishAndReleaseAll();
        server.finishAndReleaseAll();
    }

    /** Delivers the outbound datagrams of one side to the other side, which echoes the message. */
    @Benchmark
    public int datagramInAndOut() {
        EmbeddedChannel from = toServer ? client : server;
        EmbeddedChannel to = toServer ? server : client;
        InetSocketAddress sender = toServer ? CLIENT : SERVER;
        InetSocketAddress recipient = toServer ? SERVER : CLIENT;
        toServer = !toServer;
        int datagrams = 0;
        for (DatagramPacket packet = from.readOutbound(); packet != null; packet = from.readOutbound()) {
            to.writeOneInbound(new DatagramPacket(packet.content(), recipient, sender));
            datagrams++;
        }
        if (datagrams == 0) {
            throw new IllegalStateException("the message was lost");
        }
        to.flushInbound();
        return datagrams;
    }

    /** Sends every received message back. */
    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.MESSAGE).ackNoDelay(true).build();

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.channel().config().setOption(KcpChannelOption.KCP_CONFIG, CONFIG);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
