package io.kcp.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.util.Map;

/** Puts the handlers of a datagram channel into its pipeline. */
final class KcpHandlerInitializer extends ChannelInitializer<Channel> {

    private final KcpHandlerBuilder handlers;

    KcpHandlerInitializer(KcpHandlerBuilder handlers) {
        this.handlers = handlers;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("kcp", handlers.build());
    }

    @SuppressWarnings("unchecked")
    static void setOptions(Bootstrap bootstrap, Map<ChannelOption<?>, Object> options) {
        options.forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
    }

    @SuppressWarnings("unchecked")
    static void setAttributes(Channel channel, Map<AttributeKey<?>, Object> attributes) {
        attributes.forEach((key, value) -> channel.attr((AttributeKey<Object>) key).set(value));
    }
}
