package io.kcp.netty.bootstrap;

import io.kcp.netty.ForeignDatagramHandler;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.session.ReducedMtus;
import io.netty.channel.ChannelHandler;
import java.util.Objects;

/**
 * Builds handlers that open KCP sessions over a datagram channel that the application opens itself, and accept none.
 *
 * <pre>{@code
 * ChannelHandler pipeline = new KcpClientHandlerBuilder().crypto(crypto).buildPipeline();
 * Channel socket = new Bootstrap().group(group).channelFactory(KcpTransport.best().channelFactory()).handler(pipeline)
 *     .bind(0).sync().channel();
 * KcpChannel session = socket.pipeline().get(KcpHandler.class).connect(peer, conv, handler).sync().channel();
 * }</pre>
 *
 * <p>{@code own-pipeline.md} in the user's guide describes the order of the handlers. Not thread-safe.
 */
public final class KcpClientHandlerBuilder extends AbstractKcpBuilder<KcpClientHandlerBuilder> {

    private final ReducedMtus reducedMtus = new ReducedMtus();
    private boolean closeWithSession;
    private ForeignDatagramHandler foreignHandler = ForeignDatagramHandler.NONE;

    /** Creates a builder with default settings. */
    public KcpClientHandlerBuilder() {
    }

    /**
     * Sets whether the datagram channel is closed when a session closes. This is useful if each session has its own channel. The default
     * is false.
     *
     * @param closeWithSession {@code true} to close the datagram channel
     * @return this
     */
    public KcpClientHandlerBuilder closeWithSession(boolean closeWithSession) {
        this.closeWithSession = closeWithSession;
        return this;
    }

    /**
     * Sets the handler for datagrams that are not KCP. The default handler drops them.
     *
     * @param foreignHandler the handler; called on the event loop of each channel
     * @return this
     */
    public KcpClientHandlerBuilder foreignDatagrams(ForeignDatagramHandler foreignHandler) {
        this.foreignHandler = Objects.requireNonNull(foreignHandler, "foreignHandler");
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
     * handler for GSO if the channel supports it, the datagram handler of the application, the cipher, FEC and {@link KcpHandler}. The
     * built handler is sharable.
     *
     * @return a handler for {@code Bootstrap.handler} or {@code addLast}
     */
    public ChannelHandler buildPipeline() {
        checkRoaming();
        ListenerSettings settings = settings();
        return initializer(new DecryptionFailureLog(), null, () -> new DefaultKcpHandler(settings));
    }

    private ListenerSettings settings() {
        return new ListenerSettings(closeWithSession, isRoaming(), reducedMtus, foreignHandler, null);
    }
}
