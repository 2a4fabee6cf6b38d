package io.kcp.netty.blocking;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Adds the handlers of the application and a {@link SocketHandler} to a channel, and passes the new socket to a consumer. */
@ChannelHandler.Sharable
final class SocketInitializer extends ChannelInitializer<Channel> {

    private final @Nullable ChannelHandler initializer;
    private final Consumer<KcpSocket> opened;

    SocketInitializer(@Nullable ChannelHandler initializer, Consumer<KcpSocket> opened) {
        this.initializer = initializer;
        this.opened = opened;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (initializer != null) {
            channel.pipeline().addLast(initializer);
        }
        opened.accept(KcpSocket.wrap(channel));
    }
}
