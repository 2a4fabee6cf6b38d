package io.kcp.bench;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Echo server of {@link Soak}, which closes a session after a message that begins with {@link #ECHO_AND_CLOSE}. */
final class SoakServer {

    static final byte ECHO = 0;
    static final byte ECHO_AND_CLOSE = 1;

    private static final int SOCKETS = 2;

    private final WireLayers layers;
    private final @Nullable CryptoConfig crypto;
    private final boolean roaming;
    private final KcpServerChannel channel;

    SoakServer(EventLoopGroup group, WireLayers layers, boolean roaming, int idleTimeoutMs) {
        this.layers = layers;
        crypto = layers.crypto();
        this.roaming = roaming;
        // Without keepalive, the server does not probe idle clients. Their sessions therefore reach the idle timeout.
        channel = new KcpServerBootstrap().group(group).config(config()).crypto(crypto).fec(layers.fec()).roaming(roaming)
            .sockets(SOCKETS)
            .childOption(KcpChannelOption.KEEPALIVE_MS, 0).childOption(KcpChannelOption.IDLE_TIMEOUT_MS, idleTimeoutMs)
            .childOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, idleTimeoutMs)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new Echo());
                }
            }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    private static KcpConfig config() {
        return KcpConfig.fast3().toBuilder().mode(KcpTransferMode.MESSAGE).build();
    }

    boolean roams() {
        return roaming;
    }

    boolean hasCipher() {
        return crypto != null;
    }

    InetSocketAddress address() {
        return Objects.requireNonNull(channel.localAddress(), "localAddress");
    }

    KcpListenerStats stats() {
        return channel.collectStats().syncUninterruptibly().getNow();
    }

    /** Returns a client with the settings of this server. The client notices the end of a session later than the server does. */
    KcpBootstrap newClient(EventLoopGroup group, int idleTimeoutMs) {
        return new KcpBootstrap().group(group).config(config()).crypto(crypto).fec(layers.fec()).roaming(roaming)
            .option(KcpChannelOption.KEEPALIVE_MS, 0).option(KcpChannelOption.IDLE_TIMEOUT_MS, 2 * idleTimeoutMs);
    }

    void close() {
        channel.close().syncUninterruptibly();
    }

    @Override
    public String toString() {
        return layers + (roaming ? ", roaming" : "");
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        private boolean closing;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = (ByteBuf) message;
            closing |= content.isReadable() && content.getByte(content.readerIndex()) == ECHO_AND_CLOSE;
            context.write(content, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
            if (closing) {
                context.close();
            }
        }

        /** Ignores the failures of sessions whose clients were killed. The statistics of the server count them. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
