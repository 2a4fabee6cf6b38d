package io.kcp.tools.tunnel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.smux.SmuxError;
import io.kcp.netty.smux.SmuxException;
import io.kcp.netty.smux.SmuxHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open streams of a session, so that the session can be closed once its last stream has closed. It is the last handler in the
 * pipeline of the session, on whose event loop all methods except {@link #retire} must be called.
 */
final class TunnelSession extends ChannelInboundHandlerAdapter {

    /** Identifies the attribute of a session channel that contains its {@link TunnelSession}. */
    static final AttributeKey<TunnelSession> KEY = AttributeKey.valueOf(TunnelSession.class, "session");

    /** Delays the close of an idle session, so that the FIN frame of its last stream is written first. */
    private static final int FIN_DELAY_MS = 100;

    private final TunnelLog log;
    /** Limits the time that a closing server waits for the streams of the session. */
    private final int drainSeconds;
    private int openStreams;
    private boolean hadStreams;
    private volatile boolean retired;
    private @Nullable Promise<Void> idle;

    TunnelSession(TunnelLog log, int drainSeconds) {
        this.log = log;
        this.drainSeconds = drainSeconds;
    }

    /** Returns {@code true} if the session accepts no further streams. */
    boolean isRetired() {
        return retired;
    }

    /** Counts a stream until it closes. */
    void onStreamOpened(Channel stream) {
        openStreams++;
        hadStreams = true;
        stream.closeFuture().addListener(closed -> {
            openStreams--;
            stream.eventLoop().schedule(this::completeIfIdle, FIN_DELAY_MS, TimeUnit.MILLISECONDS);
        });
    }

    private void completeIfIdle() {
        Promise<Void> waiting = idle;
        if (waiting != null && openStreams == 0) {
            waiting.trySuccess(null);
        }
    }

    /**
     * Refuses further streams and closes the session after its last stream has closed, but no later than {@code maxSeconds} from now. Any
     * thread may call this method.
     */
    void retire(KcpChannel session, int maxSeconds) {
        retired = true;
        session.eventLoop().execute(() -> awaitStreams(session, maxSeconds).addListener(ended -> session.close()));
    }

    private Promise<Void> awaitStreams(Channel session, int maxSeconds) {
        retired = true;
        Promise<Void> promise = idle;
        if (promise == null) {
            promise = session.eventLoop().newPromise();
            idle = promise;
            completeIfIdle();
        }
        Promise<Void> waiting = promise;
        if (!waiting.isDone()) {
            var timeout = session.eventLoop().schedule(() -> waiting.trySuccess(null), maxSeconds, TimeUnit.SECONDS);
            waiting.addListener(ended -> timeout.cancel(false));
        }
        return waiting;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpServerCloseEvent closing) {
            closing.waitFor(awaitStreams(context.channel(), drainSeconds));
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        KcpChannel session = (KcpChannel) context.channel();
        SmuxHandler smux = session.pipeline().get(SmuxHandler.class);
        SmuxException smuxCause = smux == null ? null : smux.closeCause();
        boolean isProtocolError = smuxCause != null && smuxCause.error() != SmuxError.PARENT_CLOSED;
        Throwable cause = isProtocolError ? smuxCause : session.closeCause();
        // Skips sessions that never had a stream, because forged datagrams could otherwise fill the log.
        if (hadStreams || isProtocolError) {
            log.info("session closed: " + session.remoteAddress() + (cause == null ? "" : ", " + cause.getMessage()));
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.info("session " + context.channel().remoteAddress() + ": " + cause.getMessage());
        context.close();
    }
}
