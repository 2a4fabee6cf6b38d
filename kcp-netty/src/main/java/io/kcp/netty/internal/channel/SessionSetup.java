package io.kcp.netty.internal.channel;

import io.kcp.netty.KcpChannelOption;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.internal.StringUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Applies options, attributes and the handler to a new session. */
public final class SessionSetup {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance("io.kcp.netty.KcpHandler");

    private SessionSetup() {
    }

    /** Sets up a session, and logs and returns the options that sessions do not support. */
    public static List<ChannelOption<?>> apply(DefaultKcpChannel session, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes) {
        List<ChannelOption<?>> unknown = new ArrayList<>(0);
        Object config = options.get(KcpChannelOption.KCP_CONFIG);
        if (config != null) {
            // Applies KCP_CONFIG first, because it sets every KCP option, and options that were set individually must override it.
            setOption(session, KcpChannelOption.KCP_CONFIG, config);
        }
        options.forEach((option, value) -> {
            if (option != KcpChannelOption.KCP_CONFIG && !setOption(session, option, value)) {
                LOGGER.warn("Unknown channel option '{}' for channel '{}'", option, session);
                unknown.add(option);
            }
        });
        setAttributes(session, attributes);
        if (session.host().writer().sendsOob()) {
            session.pipeline().addLast(OobWriteHandler.INSTANCE);
        }
        session.pipeline().addLast(handler);
        return unknown;
    }

    @SuppressWarnings("unchecked")
    public static void setAttributes(Channel channel, Map<AttributeKey<?>, Object> attributes) {
        attributes.forEach((key, value) -> channel.attr((AttributeKey<Object>) key).set(value));
    }

    @SuppressWarnings("unchecked")
    private static boolean setOption(DefaultKcpChannel session, ChannelOption<?> option, Object value) {
        return session.config().setOption((ChannelOption<Object>) option, value);
    }

    /**
     * Returns {@code true} if a registered session has no handler because {@code handlerAdded} threw an exception and Netty removed the
     * handler. Returns {@code false} for an initializer, which always removes itself and may add handlers later.
     */
    public static boolean lostHandler(DefaultKcpChannel session, ChannelHandler handler) {
        if (handler instanceof ChannelInitializer || session.pipeline().context(handler) != null) {
            return false;
        }
        ChannelHandler last = session.pipeline().last();
        return last == null || last == OobWriteHandler.INSTANCE;
    }

    /** Throws an exception if a handler is not sharable, because Netty would refuse to add it to the pipeline of a second session. */
    public static void checkSharable(ChannelHandler childHandler) {
        if (childHandler instanceof ChannelHandlerAdapter adapter && !adapter.isSharable()) {
            throw new IllegalArgumentException("childHandler: " + StringUtil.simpleClassName(childHandler)
                + " (expected: a ChannelInitializer or another handler with @Sharable, because it is added to each session)");
        }
    }
}
