package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts the handlers of a datagram channel into its pipeline. */
final class KcpHandlerInitializer extends ChannelInitializer<Channel> {

    private final @Nullable CryptoConfig crypto;
    private final @Nullable FecConfig fec;
    private final Supplier<KcpHandler> handlers;

    /** For the sockets of a server, each with a handler of its own. */
    KcpHandlerInitializer(@Nullable CryptoConfig crypto, @Nullable FecConfig fec, KcpHandlerBuilder handlers) {
        this(crypto, fec, handlers::build);
    }

    /** For the one socket of a client. */
    KcpHandlerInitializer(@Nullable CryptoConfig crypto, @Nullable FecConfig fec, KcpHandler handler) {
        this(crypto, fec, () -> handler);
    }

    private KcpHandlerInitializer(@Nullable CryptoConfig crypto, @Nullable FecConfig fec, Supplier<KcpHandler> handlers) {
        this.crypto = crypto;
        this.fec = fec;
        this.handlers = handlers;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (crypto != null && !crypto.isNull()) {
            channel.pipeline().addLast("crypto", new CryptoCodec(crypto));
        }
        channel.pipeline().addLast("fec", new FecCodec(fec)).addLast("kcp", handlers.get());
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
