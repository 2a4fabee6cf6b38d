package io.kcp.netty.blocking;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Adds the handlers of the application to a channel, and then passes the channel to a consumer, which adds the handler of the socket. */
@ChannelHandler.Sharable
final class SocketInitializer extends ChannelInitializer<Channel> {

    private final @Nullable ChannelHandler initializer;
    private final Consumer<Channel> opened;

    SocketInitializer(@Nullable ChannelHandler initializer, Consumer<Channel> opened) {
        this.initializer = initializer;
        this.opened = opened;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (initializer != null) {
            channel.pipeline().addLast(initializer);
        }
        opened.accept(channel);
    }
}
