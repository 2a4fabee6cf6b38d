package io.kcp.netty.smux;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens streams on a parent channel whose pipeline contains a {@link SmuxHandler}.
 *
 * <pre>{@code
 * SmuxStreamChannel stream = new SmuxStreamChannelBootstrap(parent).handler(handler).open().sync().getNow();
 * }</pre>
 *
 * <p>Not thread safe. It does not have to be used on the event loop of the parent channel.
 */
public final class SmuxStreamChannelBootstrap {

    private final Channel parent;
    private final Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> attributes = new LinkedHashMap<>();
    private @Nullable ChannelHandler handler;

    /**
     * Creates a bootstrap for streams of a parent channel.
     *
     * @param parent the parent channel, whose pipeline must contain a {@link SmuxHandler} when a stream is opened
     */
    public SmuxStreamChannelBootstrap(Channel parent) {
        this.parent = Objects.requireNonNull(parent, "parent");
    }

    /**
     * Sets a channel option of the opened streams.
     *
     * @param option the option
     * @param value  the value
     * @param <T>    type of the value
     * @return this
     * @throws IllegalArgumentException if smux streams do not support the option
     */
    public <T> SmuxStreamChannelBootstrap option(ChannelOption<T> option, T value) {
        SmuxStreamConfig.checkSupported(option);
        options.put(option, Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets an attribute of the opened streams.
     *
     * @param key   the key
     * @param value the value
     * @param <T>   type of the value
     * @return this
     */
    public <T> SmuxStreamChannelBootstrap attr(AttributeKey<T> key, T value) {
        attributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the handler of the opened streams.
     *
     * @param handler the handler
     * @return this
     */
    public SmuxStreamChannelBootstrap handler(ChannelHandler handler) {
        this.handler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Opens a stream. The peer is notified with a SYN frame and does not confirm it.
     *
     * @return a future with the registered stream; fails if the parent channel is not active or has no stream id left
     * @throws IllegalStateException if no handler was set or the pipeline of the open parent channel contains no {@link SmuxHandler}
     */
    public Future<SmuxStreamChannel> open() {
        return open(parent.eventLoop().newPromise());
    }

    /**
     * Opens a stream. The peer is notified with a SYN frame and does not confirm it.
     *
     * @param promise completed with the registered stream, or failed if the parent channel is not active or has no stream id left
     * @return the promise
     * @throws IllegalStateException if no handler was set or the pipeline of the open parent channel contains no {@link SmuxHandler}
     */
    public Future<SmuxStreamChannel> open(Promise<SmuxStreamChannel> promise) {
        ChannelHandler streamHandler = handler;
        if (streamHandler == null) {
            throw new IllegalStateException("handler is not set");
        }
        SmuxHandler smux = parent.pipeline().get(SmuxHandler.class);
        if (smux == null) {
            if (!parent.isOpen()) {
                // Netty removes all handlers from the pipeline of a closed channel.
                promise.tryFailure(new ClosedChannelException());
                return promise;
            }
            throw new IllegalStateException("The pipeline of " + parent + " contains no SmuxHandler");
        }
        smux.open(streamHandler, new LinkedHashMap<>(options), Map.copyOf(attributes), promise);
        return promise;
    }
}
