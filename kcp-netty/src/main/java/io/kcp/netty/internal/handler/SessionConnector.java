package io.kcp.netty.internal.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.internal.accept.SessionAcceptor;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.channel.SessionSetup;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** Opens sessions at the request of the application. {@link SessionAcceptor} opens the sessions that peers request. */
final class SessionConnector {

    private final SessionHost<DefaultKcpChannel> host;

    SessionConnector(SessionHost<DefaultKcpChannel> host) {
        this.host = host;
    }

    /** Opens a new session and registers it on the event loop of the datagram channel. Any thread may call this method. */
    KcpFuture<KcpChannel> connect(DefaultKcpChannel session, InetSocketAddress remote, ChannelHandler handler,
        Map<ChannelOption<?>, ?> options, Map<AttributeKey<?>, ?> attributes) {
        Objects.requireNonNull(handler, "handler");
        if (remote.isUnresolved()) {
            throw new IllegalArgumentException("remote: " + remote + " (expected: a resolved address)");
        }
        Map<ChannelOption<?>, Object> optionsNow = new LinkedHashMap<>(options);
        Map<AttributeKey<?>, Object> attributesNow = new LinkedHashMap<>(attributes);
        Channel datagramChannel = host.channel();
        session.setRemoteAddress(remote);
        OpeningPromise<KcpChannel> promise = OpeningPromise.ofSession(session, datagramChannel.eventLoop());
        EventExecutor executor = host.context().executor();
        if (executor.inEventLoop()) {
            open(session, handler, optionsNow, attributesNow, promise);
        } else {
            try {
                executor.execute(() -> open(session, handler, optionsNow, attributesNow, promise));
            } catch (RejectedExecutionException terminated) {
                OpeningPromise.closeUnregistered(session, datagramChannel.eventLoop());
                promise.tryFailure(terminated);
            }
        }
        return promise;
    }

    /** Sets up and registers a session on a channel that has already been created. Must be called on the event loop. */
    void open(DefaultKcpChannel session, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes, ChannelPromise promise) {
        try {
            if (host.sessions().find(session.remoteAddress(), session.conv()) != null) {
                throw new IllegalStateException("Cannot open a session with conv " + Integer.toUnsignedString(session.conv()) + " to "
                    + session.remoteAddress() + ", because it is already open on " + host.channel());
            }
            SessionSetup.apply(session, handler, options, attributes);
        } catch (RuntimeException | Error refused) {
            session.unsafe().close(session.unsafe().voidPromise());
            promise.tryFailure(refused);
            return;
        }
        host.channel().eventLoop().register(session).addListener(registered -> {
            if (!registered.isSuccess()) {
                promise.tryFailure(registered.cause());
            } else if (!promise.trySuccess()) {
                // Closes the session, because the caller has cancelled the promise.
                session.close();
            }
        });
    }
}
