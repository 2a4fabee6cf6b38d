package io.kcp.netty.internal.handler;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.CloseNotice;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.internal.accept.AcceptSettings;
import io.kcp.netty.internal.accept.FirstDatagramReader;
import io.kcp.netty.internal.accept.FirstDatagramRules;
import io.kcp.netty.internal.admission.MemoryRelief;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.channel.SessionFlusher;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.roaming.PathRouter;
import io.kcp.netty.internal.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Implements {@link KcpHandler}: passes inbound datagrams to their sessions, and opens sessions for both sides. */
public final class DefaultKcpHandler extends ChannelInboundHandlerAdapter implements KcpHandler {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private final ListenerSettings settings;
    private final SessionHost<DefaultKcpChannel> host;
    private final SessionFlusher service;
    /** Opens the sessions of peers, or null if this side accepts none. */
    private final @Nullable FirstDatagramReader firstDatagrams;
    /** Logs that memory ran out, if this handler accepts no sessions. */
    private @Nullable MemoryRelief<DefaultKcpChannel> clientRelief;
    private @Nullable ListenerCounters counters;
    private boolean discarding;
    private boolean foreignFailed;

    public DefaultKcpHandler(ListenerSettings settings) {
        this.settings = settings;
        host = new SessionHost<>(new Sessions(), settings.closeWithSession(), settings.limitsAmplification(), settings.reducedMtus());
        service = new SessionFlusher(host);
        AcceptSettings accept = settings.accept();
        firstDatagrams = accept == null ? null : new FirstDatagramReader(host, service, accept);
    }

    @Override
    public KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler) {
        return connect(remote, conv, handler, Map.of(), Map.of());
    }

    @Override
    public KcpFuture<KcpChannel> connect(InetSocketAddress remote, int conv, ChannelHandler handler, Map<ChannelOption<?>, ?> options,
        Map<AttributeKey<?>, ?> attributes) {
        Channel datagramChannel = host.channel();
        return new SessionConnector(host).connect(newSession(datagramChannel, conv), remote, handler, options, attributes);
    }

    /** Creates a session that this side opens with {@link #open}. The handler need not be in a pipeline yet. */
    public DefaultKcpChannel newSession(@Nullable Channel parent, int conv) {
        return new DefaultKcpChannel(parent, host, service, conv, false);
    }

    /** Opens a session on a channel that has already been created. Must be called on the event loop. */
    public void open(DefaultKcpChannel session, ChannelHandler handler, Map<ChannelOption<?>, Object> options,
        Map<AttributeKey<?>, Object> attributes, ChannelPromise promise) {
        new SessionConnector(host).open(session, handler, options, attributes, promise);
    }

    @Override
    public Future<KcpListenerStats> collectStats() {
        return visits().collectStats();
    }

    /** Returns an object that runs actions on all open sessions. */
    public SessionVisits visits() {
        return new SessionVisits(host, counters());
    }

    public ListenerSettings settings() {
        return settings;
    }

    public SessionHost<DefaultKcpChannel> host() {
        return host;
    }

    public @Nullable FirstDatagramReader firstDatagrams() {
        return firstDatagrams;
    }

    /** Returns the handler that finds the sessions of datagrams from unknown addresses, or null if sessions do not follow their peers. */
    public @Nullable PathRouter router() {
        return firstDatagrams == null ? null : firstDatagrams.router();
    }

    ListenerCounters counters() {
        ListenerCounters present = counters;
        if (present == null) {
            throw new IllegalStateException("KcpHandler is not in a pipeline");
        }
        return present;
    }

    // ---- pipeline lifecycle

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        host.attach(context);
        AcceptSettings accept = settings.accept();
        counters = new ListenerCounters(DropCounters.of(context.channel()), accept == null ? null : accept.replayFilter());
    }

    /**
     * Closes all sessions and removes the datagram channel from the context of the event loop. Netty also calls this method after
     * {@link #handlerAdded} threw an exception. The channel was then not added to the context, or the handler belongs to another pipeline.
     */
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (context.channel().config().getRecvByteBufAllocator() instanceof ReservedReads reads) {
            reads.releaseReserve();
        }
        if (host.isAttached(context)) {
            closeSessions();
            host.detach();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closeSessions();
        context.fireChannelInactive();
    }

    private void closeSessions() {
        stopAccepting();
        host.sessions().forEach(session -> session.closeWith(KcpCloseReason.PARENT_CLOSED));
    }

    /** Sets whether all inbound datagrams are dropped. */
    public void discard(boolean everything) {
        discarding = everything;
    }

    /** Refuses all new sessions from now on. */
    public void stopAccepting() {
        if (firstDatagrams != null) {
            firstDatagrams.rules().close();
            firstDatagrams.close();
        }
    }

    // ---- inbound datagrams

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
            return;
        }
        if (discarding) {
            host.drop(DropReason.NO_SESSION);
            ReferenceCountUtil.release(packet);
            return;
        }
        try {
            if (host.servingQueue().begin() && firstDatagrams != null) {
                firstDatagrams.onBatchBegin();
            }
            read(context, packet);
        } catch (OutOfMemoryError shortage) {
            onOutOfMemory(shortage);
        } finally {
            ReferenceCountUtil.release(packet);
        }
    }

    private void read(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        if (!FirstDatagramRules.startsWithSegment(datagram)) {
            if (CloseNotice.isNotice(datagram)) {
                readNotice(packet);
            } else if (!isConsumed(context, packet)) {
                host.drop(DropReason.NOT_KCP);
            }
            return;
        }
        int conv = SegmentHeader.conv(datagram, datagram.readerIndex());
        boolean recovered = packet instanceof KcpDatagram kcpPacket && kcpPacket.isRecovered();
        DefaultKcpChannel session = host.sessions().find(packet.sender(), conv);
        if (session == null) {
            session = recovered ? null : open(packet, conv);
            if (session == null) {
                if (recovered) {
                    // A datagram recovered by the decoder of one session must not open another session.
                    host.drop(DropReason.STRAY_RECOVERED);
                }
                return;
            }
        } else if (firstDatagrams != null) {
            firstDatagrams.rules().onKnownSession(datagram, host.loop().recentNowMs());
        }
        host.read(session, datagram, recovered);
        if (session.kcp().pollUnflushedQuarter() && !session.kcp().amplificationLimit().isActive()) {
            host.servingQueue().endSoon();
        }
    }

    private @Nullable DefaultKcpChannel open(DatagramPacket packet, int conv) {
        if (firstDatagrams == null) {
            host.drop(DropReason.NO_SESSION);
            host.loop().decryptionBudget().onUseless(host.loop().nowNanos());
            return null;
        }
        // The clock was read at the start of this batch or later, which is accurate enough.
        return firstDatagrams.open(packet, conv, host.loop().recentNowMs());
    }

    /** Reads a datagram that has the form of a close notice. A genuine notice closes its session at the end of the batch. */
    private void readNotice(DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        DefaultKcpChannel session = host.sessions().find(packet.sender(), SegmentHeader.conv(datagram, datagram.readerIndex()));
        if (session == null) {
            DropReason refusal = firstDatagrams == null ? null
                : firstDatagrams.rules().refusal(packet.sender(), datagram, host.loop().recentNowMs());
            host.drop(refusal != null ? refusal : DropReason.NO_SESSION);
            return;
        }
        CloseNotice notice = session.kcp().closeNotice();
        int code = notice.read(datagram);
        if (code == CloseNotice.NOT_CLOSED) {
            host.drop(DropReason.FORGED_CLOSE_NOTICE);
        } else if (!session.isClosedByPeer()) {
            session.closing().onPeerClosed(code, notice.isComplete());
            host.servingQueue().add(session);
        }
    }

    /** Calls the application's handler of foreign datagrams. If the handler throws an exception, only the current datagram is dropped. */
    private boolean isConsumed(ChannelHandlerContext context, DatagramPacket packet) {
        try {
            return settings.foreignDatagrams().handle(context, packet);
        } catch (OutOfMemoryError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            // Logs only the first exception, so that a flood of datagrams that cause exceptions cannot fill the log.
            if (!foreignFailed) {
                foreignFailed = true;
                LOGGER.warn("The ForeignDatagramHandler of {} threw an exception, so the datagram is dropped. Further exceptions are not"
                    + " logged.", context.channel(), mistake);
            }
            return false;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        LoopContext loop = host.loop();
        loop.onRead(context.channel(), host.servingQueue().hasDrained());
        try {
            host.servingQueue().complete();
        } finally {
            loop.onServed();
            if (firstDatagrams != null) {
                firstDatagrams.onBatchEnd();
            }
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            host.writer().unblock();
        }
        context.fireChannelWritabilityChanged();
    }

    // ---- failures

    /**
     * Counts an I/O error without closing the datagram channel, because the error affects only one datagram, and the data of that datagram
     * is retransmitted.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause.getCause() instanceof OutOfMemoryError shortage && cause instanceof SocketException) {
            // SingleReceiveAllocator reports a failed allocation as a SocketException.
            onOutOfMemory(shortage);
        } else if (cause instanceof IOException) {
            counters().onSocketError();
            LOGGER.debug("Ignored an I/O error of {}", context.channel(), cause);
        } else if (cause instanceof OutOfMemoryError shortage) {
            // Memory ran out during a read or in a handler that precedes this handler in the pipeline.
            onOutOfMemory(shortage);
        } else {
            context.fireExceptionCaught(cause);
        }
    }

    private void onOutOfMemory(OutOfMemoryError shortage) {
        host.drop(DropReason.OUT_OF_MEMORY);
        relieveMemory(shortage);
    }

    private void relieveMemory(OutOfMemoryError shortage) {
        if (firstDatagrams != null) {
            firstDatagrams.acceptor().relieveMemory(shortage);
            return;
        }
        try {
            if (clientRelief == null) {
                clientRelief = new MemoryRelief<>(new UnvalidatedSessions<>(change -> { }), session -> { });
            }
            clientRelief.onOutOfMemory(host.channel(), shortage, host.loop().nowMs());
        } catch (OutOfMemoryError again) {
            // The shortage is counted, and logged when memory suffices for that.
        }
    }

    /** Follows the life of the sessions of this handler. */
    private final class Sessions implements SessionHost.Owner<DefaultKcpChannel> {

        @Override
        public void opened(DefaultKcpChannel session) {
            counters().onOpened(host.sessions().size());
            PathRouter router = router();
            if (router != null && session.isAccepted()) {
                router.onOpened(session);
            } else if (settings.repeatAcknowledgement()) {
                session.kcp().path().repeatAcknowledgements();
            }
        }

        @Override
        public void accepted(DefaultKcpChannel session, boolean recovered) {
            if (firstDatagrams != null) {
                firstDatagrams.acceptor().onInput(session, recovered);
            }
            if (!recovered) {
                session.key.onAccepted(host.sessions().keyIndex());
                PathRouter router = router();
                if (router != null) {
                    router.onAccepted(session);
                }
            }
        }

        @Override
        public void closed(DefaultKcpChannel session, Kcp conversation) {
            if (firstDatagrams != null) {
                firstDatagrams.acceptor().onClosed(session);
            }
            PathRouter router = router();
            if (router != null) {
                router.onClosed(session);
            }
            try {
                counters().onClosed(session, conversation.stats());
                long nowMs = host.loop().nowMs();
                if (firstDatagrams != null) {
                    firstDatagrams.rules().onClosed(session, conversation, nowMs);
                }
                LoopContext.EVENTS.closed(session, nowMs - session.openedMs());
            } catch (OutOfMemoryError shortage) {
                // Ignores the shortage. The closed session may be missing from the statistics, and one of its late datagrams may open
                // another session.
            }
        }

        /** Closes a session. If memory ran out, also closes unvalidated sessions. Throws no {@code OutOfMemoryError}. */
        @Override
        public void failed(DefaultKcpChannel session, Throwable failure) {
            Throwable latest = failure;
            try {
                session.closing().closeWith(KcpCloseReason.FAILED, failure);
            } catch (OutOfMemoryError again) {
                latest = again;
            }
            if (latest instanceof OutOfMemoryError shortage) {
                relieveMemory(shortage);
            }
        }

        @Override
        public int timestampBase(DefaultKcpChannel session, int random, long nowMs) {
            return firstDatagrams == null ? random : firstDatagrams.acceptor().timestampBase(session, random, nowMs);
        }
    }
}
