package io.kcp.examples.arena.bots;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One session of a bot. */
final class BotSession extends ChannelInboundHandlerAdapter {

    private static final Logger LOGGER = LoggerFactory.getLogger(BotSession.class);
    /** A thousand sockets share what one server has. */
    private static final int SOCKET_BUFFER_BYTES = 256 * 1024;

    private final Bot bot;
    private final BotSettings settings;

    private BotSession(Bot bot, BotSettings settings) {
        this.bot = bot;
        this.settings = settings;
    }

    static KcpBootstrap bootstrap(Bot bot, BotSettings settings, EventLoop loop) {
        KcpConfig config = KcpConfig.fast3().toBuilder().deadPeerTimeoutMs((int) settings.deadPeerTimeout.toMillis()).build();
        return new KcpBootstrap().group(loop).config(config).socketBufferBytes(SOCKET_BUFFER_BYTES)
            .crypto(settings.crypto).fec(settings.fec)
            .handler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new BotSession(bot, settings));
                }
            });
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        KcpChannel session = (KcpChannel) context.channel();
        if (settings.lossPercent > 0 || !settings.delay.isZero()) {
            session.datagramChannel().pipeline().addFirst(new BadLink(settings.lossPercent, settings.delay, bot.random()));
        }
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
            LOGGER.debug("{} ends", context.channel(), cause);
        } else {
            LOGGER.warn("{} failed", context.channel(), cause);
        }
        context.close();
    }
}
