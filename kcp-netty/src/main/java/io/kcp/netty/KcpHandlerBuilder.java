package io.kcp.netty;

import io.kcp.netty.admission.DecryptionFailureLog;
import io.kcp.netty.admission.ReplayFilter;
import io.kcp.netty.admission.ServerLoad;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.SessionLimits;
import io.kcp.netty.session.ConversationIndex;
import io.kcp.netty.session.ReducedMtus;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds handlers that run KCP sessions over a datagram channel that the application opens itself. The bootstraps
 * {@link KcpServerBootstrap} and {@link KcpBootstrap} use this builder, too. Create a builder with {@link KcpHandler#server} or
 * {@link KcpHandler#client}.
 *
 * <pre>{@code
 * ChannelHandler pipeline = KcpHandler.server(childHandler).crypto(crypto).fec(FecConfig.of(10, 3)).buildPipeline();
 * Channel socket = new Bootstrap().group(group).channelFactory(KcpTransport.best().channelFactory()).handler(pipeline)
 *     .bind(9000).sync().channel();
 * }</pre>
 *
 * <p>A client connects through the {@link KcpHandler} in that pipeline:
 * <pre>{@code
 * KcpChannel session = socket.pipeline().get(KcpHandler.class).connect(peer, conv, handler).sync().channel();
 * }</pre>
 *
 * <p>{@code own-pipeline.md} in the user's guide describes the order of the handlers, handlers of the application between the socket and
 * the cipher, and what the bootstraps do in addition. Not thread-safe.
 */
public final class KcpHandlerBuilder extends AbstractKcpServerBuilder<KcpHandlerBuilder> {

    /**
     * The receive window, in segments, that every KCP implementation assumes for its peer until the first datagram of that peer arrives.
     */
    private static final int WINDOW_BEFORE_FIRST_DATAGRAM = 32;

    final @Nullable ChannelHandler childHandler;
    /** The session counts that several handlers share, null until {@link #share}. */
    private @Nullable SessionCounts counts;
    private @Nullable ServerLoad load;
    private FloodLog floodLog = new FloodLog();
    private boolean repeatAcknowledgements;
    /** The peers whose paths required a reduced MTU. All handlers of a server, or all sessions of a client bootstrap, share them. */
    ReducedMtus reducedMtus = new ReducedMtus();
    int receiveWindow;
    boolean closeWithSession;
    @Nullable ReplayFilter replayFilter;
    /** The sessions that follow their peers to new addresses, or null if sessions keep the address of their first datagram. */
    @Nullable ConversationIndex<DefaultKcpChannel> conversations;
    @Nullable Channel parent;

    KcpHandlerBuilder(@Nullable ChannelHandler childHandler) {
        this.childHandler = childHandler;
    }

    KcpHandlerBuilder(ChannelHandler childHandler, KcpServerBootstrap bootstrap) {
        super(bootstrap);
        this.childHandler = childHandler;
    }

    private KcpHandlerBuilder(KcpHandlerBuilder other) {
        super(other);
        childHandler = other.childHandler;
        counts = other.counts;
        load = other.load;
        floodLog = other.floodLog;
        reducedMtus = other.reducedMtus;
        closeWithSession = other.closeWithSession;
        repeatAcknowledgements = other.repeatAcknowledgements;
        replayFilter = other.replayFilter;
        conversations = other.conversations;
        parent = other.parent;
        receiveWindow = Math.max(DefaultKcpChannelConfig.receiveWindow(childOptions), WINDOW_BEFORE_FIRST_DATAGRAM);
    }

    /**
     * Sets whether the datagram channel is closed when a session closes. This is useful for clients that use one socket per session. The
     * default is false.
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

    /** Makes sessions that this side opens repeat acknowledgements, so that their peers detect a change of address. */
    KcpHandlerBuilder repeatAcknowledgements(boolean repeating) {
        repeatAcknowledgements = repeating;
        return this;
    }

    boolean repeatsAcknowledgements() {
        return repeatAcknowledgements || isRoaming();
    }

    KcpHandlerBuilder reducedMtus(ReducedMtus shared) {
        reducedMtus = shared;
        return this;
    }

    KcpHandlerBuilder limits(SessionLimits limits) {
        this.limits = limits;
        return this;
    }

    /** Sets the session counts that all handlers of a server share. */
    KcpHandlerBuilder counts(SessionCounts counts) {
        this.counts = counts;
        return this;
    }

    /** Sets the replay filter that all handlers of a server share. */
    KcpHandlerBuilder replayFilter(@Nullable ReplayFilter replayFilter) {
        this.replayFilter = replayFilter;
        return this;
    }

    /**
     * Builds only the {@link KcpHandler}, without the handlers for encryption and FEC. If the application uses {@link CryptoCodec} and
     * {@link FecCodec}, it must add them to the pipeline in this order, before the {@link KcpHandler}. The builder may be reused for
     * further channels.
     *
     * @return a new handler
     * @throws IllegalStateException if a setting, such as a cipher, needs other handlers, which {@link #buildPipeline()} adds
     */
    public KcpHandler build() {
        if (needsPipeline()) {
            throw new IllegalStateException("build() creates no handlers for crypto, fec, gsoDatagrams, gro, roaming or datagramHandler,"
                + " but one of these is set. Call buildPipeline() instead, or add CryptoCodec and FecCodec to the pipeline yourself.");
        }
        return new KcpHandler(copy().share());
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
        KcpHandlerBuilder shared = copy().share();
        if (isRoaming() && childHandler != null) {
            shared.conversations = new ConversationIndex<>();
        }
        if (shared.replayFilter == null && childHandler != null && replayProtection && hasCipher()) {
            shared.replayFilter = new ReplayFilter(new SecureRandom());
        }
        boolean limitsDecryption = childHandler != null && hasCipher() && flood.limitsDecryption();
        Supplier<AdmissionHandler> admission =
            limitsDecryption ? () -> new AdmissionHandler(shared.flood, shared.limits, shared.floodLog) : null;
        return initializer(new DecryptionFailureLog(), admission, () -> new KcpHandler(shared.copy()));
    }

    /** Creates the objects that all handlers of this builder share. */
    private KcpHandlerBuilder share() {
        if (counts == null) {
            counts = new SessionCounts(limits);
        }
        load = new ServerLoad(counts, flood);
        return this;
    }

    SessionCounts counts() {
        SessionCounts shared = counts;
        assert shared != null;
        return shared;
    }

    ServerLoad load() {
        ServerLoad shared = load;
        assert shared != null;
        return shared;
    }

    FloodLog floodLog() {
        return floodLog;
    }

    private KcpHandlerBuilder copy() {
        return new KcpHandlerBuilder(this);
    }
}
