package io.kcp.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * Opens sessions of a {@link KcpHandler} at the request of the application. {@link SessionAcceptor} opens the sessions that peers request.
 */
final class SessionConnector {

    private final KcpHandler kcp;
    private final ChannelHandlerContext context;

    SessionConnector(KcpHandler kcp, ChannelHandlerContext context) {
        this.kcp = kcp;
        this.context = context;
    }

    /** Opens a session and registers it on the event loop of the datagram channel. Any thread may call this method. */
    KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler, Map<ChannelOption<?>, ?> options,
        Map<AttributeKey<?>, ?> attributes) {
        Objects.requireNonNull(handler, "handler");
        if (remote.isUnresolved()) {
            throw new IllegalArgumentException("remote: " + remote + " (expected: a resolved address)");
        }
        Map<ChannelOption<?>, Object> optionsNow = new LinkedHashMap<>(options);
        Map<AttributeKey<?>, Object> attributesNow = new LinkedHashMap<>(attributes);
        DefaultKcpChannel session = new DefaultKcpChannel(context.channel(), kcp, conv);
        session.setRemoteAddress(remote);
        OpeningPromise<KcpChannel> promise = OpeningPromise.ofSession(session, context.channel().eventLoop());
        if (context.executor().inEventLoop()) {
            open(session, handler, optionsNow, attributesNow, promise);
        } else {
            try {
                context.executor().execute(() -> open(session, handler, optionsNow, attributesNow, promise));
            } catch (RejectedExecutionException terminated) {
                OpeningPromise.closeUnregistered(session, context.channel().eventLoop());
                promise.tryFailure(terminated);
            }
        }
        return promise;
    }

    /** Sets up and registers a session on a channel that has already been created. Must be called on the event loop. */
    void open(DefaultKcpChannel session, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes, ChannelPromise promise) {
        try {
            if (kcp.hasSession(session.remoteAddress(), session.conv())) {
                throw new IllegalStateException("Cannot open a session with conv " + Integer.toUnsignedString(session.conv()) + " to "
                    + session.remoteAddress() + ", because it is already open on " + context.channel());
            }
            SessionSetup.apply(session, handler, options, attributes);
        } catch (RuntimeException | Error refused) {
            session.unsafe().close(session.unsafe().voidPromise());
            promise.tryFailure(refused);
            return;
        }
        context.channel().eventLoop().register(session).addListener(registered -> {
            if (!registered.isSuccess()) {
                promise.tryFailure(registered.cause());
            } else if (!promise.trySuccess()) {
                // Closes the session, because the caller has cancelled the promise.
                session.close();
            }
        });
    }
}
