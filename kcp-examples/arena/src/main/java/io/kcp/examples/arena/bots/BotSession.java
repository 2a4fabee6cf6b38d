package io.kcp.examples.arena.bots;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the messages that a session receives to its bot. */
final class BotSession extends ChannelInboundHandlerAdapter {

    private static final Logger LOGGER = LoggerFactory.getLogger(BotSession.class);
    /** Buffer size of each bot's socket, kept small because a fleet may open thousands of sockets. */
    private static final int SOCKET_BUFFER_BYTES = 256 * 1024;

    private final Bot bot;

    private BotSession(Bot bot) {
        this.bot = bot;
    }

    static KcpBootstrap bootstrap(Bot bot) {
        KcpConfig config = KcpConfig.fast3().toBuilder().deadPeerTimeoutMs(bot.fleet.settings.deadPeerTimeoutMs).build();
        return new KcpBootstrap().group(bot.loop).config(config).socketBufferBytes(SOCKET_BUFFER_BYTES)
            .crypto(bot.fleet.settings.crypto()).fec(bot.fleet.link().fec())
            .datagramHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel socket) {
                    socket.pipeline().addLast(bot.newLossyLink());
                }
            })
            .handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new BotSession(bot));
                }
            });
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        KcpChannel session = (KcpChannel) context.channel();
        bot.onOpened(session);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            bot.onBytes((KcpChannel) context.channel(), bytes);
        } finally {
            bytes.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpOobMessage message) {
            try {
                bot.onBytes((KcpChannel) context.channel(), message.content());
            } finally {
                message.release();
            }
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof KcpCloseException) {
            LOGGER.debug("Session {} closed", context.channel(), cause);
        } else {
            LOGGER.warn("Session {} failed", context.channel(), cause);
        }
        context.close();
    }
}
