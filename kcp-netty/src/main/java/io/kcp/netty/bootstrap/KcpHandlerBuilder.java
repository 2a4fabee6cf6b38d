package io.kcp.netty.bootstrap;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.channel.SessionSetup;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.server.DefaultKcpServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds handlers that accept KCP sessions over a datagram channel that the application opens itself. The handlers can also open sessions.
 * A side that only opens sessions uses {@link KcpClientHandlerBuilder}.
 *
 * <pre>{@code
 * ChannelHandler pipeline = new KcpHandlerBuilder(childHandler).crypto(crypto).fec(FecConfig.of(10, 3)).buildPipeline();
 * Channel socket = new Bootstrap().group(group).channelFactory(KcpTransport.best().channelFactory()).handler(pipeline)
 *     .bind(9000).sync().channel();
 * }</pre>
 *
 * <p>{@code own-pipeline.md} in the user's guide describes the order of the handlers, handlers of the application between the socket and
 * the cipher, and what the bootstraps do in addition. Not thread-safe.
 */
public final class KcpHandlerBuilder extends AbstractKcpServerBuilder<KcpHandlerBuilder> {

    private final ChannelHandler childHandler;
    private boolean closeWithSession;
    private @Nullable Channel parent;

    /**
     * Creates a builder with default settings.
     *
     * @param childHandler added to the pipeline of each accepted session; usually a {@code ChannelInitializer}, must be sharable
     * @throws IllegalArgumentException if the handler is not sharable
     */
    public KcpHandlerBuilder(ChannelHandler childHandler) {
        SessionSetup.checkSharable(Objects.requireNonNull(childHandler, "childHandler"));
        this.childHandler = childHandler;
    }

    /**
     * Sets whether the datagram channel is closed when a session closes. This is useful if each channel serves one session. The default is
     * false.
     *
     * @param closeWithSession {@code true} to close the datagram channel
     * @return this
     */
    public KcpHandlerBuilder closeWithSession(boolean closeWithSession) {
        this.closeWithSession = closeWithSession;
        return this;
    }

    /**
     * Sets the {@link Channel#parent()} of accepted sessions, such as a channel that represents several sockets. The default is the
     * datagram channel. Closing the parent does not close the sessions.
     *
     * @param parent the parent
     * @return this
     */
    public KcpHandlerBuilder parent(Channel parent) {
        this.parent = Objects.requireNonNull(parent, "parent");
        return this;
    }

    /**
     * Builds only the {@link KcpHandler}, for a pipeline without a cipher and without FEC. Such a pipeline drops the datagrams of peers
     * that use either. The builder may be reused for further channels.
     *
     * @return a new handler
     * @throws IllegalStateException if a setting, such as a cipher, needs other handlers, which {@link #buildPipeline()} adds
     */
    public KcpHandler build() {
        checkNeedsNoPipeline();
        return new DefaultKcpHandler(settings());
    }

    /**
     * Builds a handler that adds all required handlers to the pipeline of a datagram channel and then removes itself. These are the
     * handler for GSO if the channel supports it, the datagram handler of the application, the limits on datagrams from unknown
     * addresses, the cipher, FEC and {@link KcpHandler}. GRO is added only to sockets that a bootstrap opens. The built handler is
     * sharable. All channels that use it share the session limits and the protection against replayed datagrams.
     *
     * @return a handler for {@code Bootstrap.handler} or {@code addLast}
     */
    public ChannelHandler buildPipeline() {
        checkRoaming();
        return pipeline(settings());
    }

    private ListenerSettings settings() {
        Consumer<KcpChannel> onAccepted = parent instanceof DefaultKcpServerChannel server ? server::onAccepted : session -> { };
        return settings(childHandler, parent, onAccepted, closeWithSession);
    }
}
