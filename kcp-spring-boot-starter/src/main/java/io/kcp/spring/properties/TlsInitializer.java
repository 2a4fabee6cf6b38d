package io.kcp.spring.properties;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.tls.KcpTls;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import org.jspecify.annotations.Nullable;

/** Initializer that adds TLS to a session before the session's handler. For internal use by the starter. */
public final class TlsInitializer extends ChannelInitializer<KcpChannel> {

    private final KcpTls tls;
    private final ChannelHandler handler;

    private TlsInitializer(KcpTls tls, ChannelHandler handler) {
        this.tls = tls;
        this.handler = handler;
    }

    /**
     * Returns a handler that adds TLS before a session's handler.
     *
     * @param tls     TLS; null if sessions do not use it
     * @param handler the handler of the session
     * @return the given handler if sessions do not use TLS, otherwise an initializer
     */
    public static ChannelHandler before(@Nullable KcpTls tls, ChannelHandler handler) {
        return tls == null ? handler : new TlsInitializer(tls, handler);
    }

    @Override
    protected void initChannel(KcpChannel session) {
        tls.addTo(session);
        session.pipeline().addLast(handler);
    }
}
