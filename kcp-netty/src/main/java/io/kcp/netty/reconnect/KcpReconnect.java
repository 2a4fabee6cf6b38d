package io.kcp.netty.reconnect;

import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpFuture;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client's session: opens one, and another when it was lost or was never answered, after growing delays that
 * chance shortens. For game clients, bots and tunnels.
 *
 * <pre>{@code
 * KcpReconnect reconnect = KcpReconnect.to(bootstrap, () -> InetSocketAddress.createUnresolved("game.example", 9000))
 *     .maxAttempts(10).listener(listener).start();
 * }</pre>
 *
 * <p>The handler of the bootstrap goes into the pipeline of every session, so it must be sharable, as a
 * {@code ChannelInitializer} is. It should write something when the session becomes active, such as a token to resume by: KCP
 * itself does not say hello. What the lost session did not deliver is not sent again.
 *
 * <p>A server that has vanished is noticed within ten seconds: its sessions are probed after 3 s without a datagram, and are lost when the
 * probe, or anything else that was sent, is not answered within 6 s. Both times can be
 * {@linkplain KcpReconnectBuilder#keepalive(Duration) set}.
 *
 * <p>It ends when the application closes the session, or this; when it gives up, by rule; when its event loop shuts down.
 * A session closed with {@link KcpChannel#closeBecause} is lost, and another is opened unless {@code giveUpIf} says no.
 * All methods may be called from any thread.
 */
public final class KcpReconnect {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpReconnect.class);

    private final KcpBootstrap bootstrap;
    private final Supplier<? extends SocketAddress> remote;
    private final Duration answerTimeout;
    private final int maxAttempts;
    private final Predicate<? super Throwable> giveUpIf;
    private final KcpReconnectListener listener;
    private final Backoff backoff;
    private final Delays delays;
    private final PeerWatch watch;
    private final EventLoop loop;
    // Not the event loop's: that may have ended.
    private final Promise<@Nullable Void> ended = GlobalEventExecutor.INSTANCE.newPromise();
    private final FutureListener<Object> onLoopEnded = loopEnded -> onLoopEnded();
    private volatile @Nullable KcpChannel established;
    /** Being opened, or open and not given up; the next four on the event loop only. */
    private @Nullable KcpChannel current;
    /** What is to happen next: an attempt if there is no session, else the end of the wait for its answer. */
    private @Nullable Future<?> pending;
    /** Since a session was established, that one's loss included. */
    private int failures;
    /** Since a session was established. */
    private int attempts;
    private boolean closed;

    KcpReconnect(KcpReconnectBuilder settings, Backoff backoff) {
        bootstrap = settings.bootstrap;
        remote = settings.remote;
        answerTimeout = settings.answerTimeout;
        maxAttempts = settings.maxAttempts;
        giveUpIf = settings.giveUpIf;
        listener = settings.listener;
        delays = settings.delays;
        watch = new PeerWatch(settings.keepalive, settings.deadPeerTimeout);
        this.backoff = backoff;
        loop = bootstrap.group().next();
    }

    /**
     * Begins to describe one.
     *
     * @param bootstrap how sessions are opened, with group and handler; not to be changed afterwards. Several may share one.
     * @param remote    asked before each attempt, on an event loop, so it must not block; another gateway each time, say. An
     *                  address that is unresolved is resolved anew for each attempt, see {@link KcpBootstrap#resolver};
     *                  {@code new InetSocketAddress(name, port)} would block. An attempt for which it throws has failed.
     * @return a builder, which starts it
     * @throws IllegalStateException if the bootstrap has no group
     */
    public static KcpReconnectBuilder to(KcpBootstrap bootstrap, Supplier<? extends SocketAddress> remote) {
        bootstrap.group();
        return new KcpReconnectBuilder(bootstrap, Objects.requireNonNull(remote, "remote"));
    }

    /**
     * Returns the session that is established now.
     *
     * @return the session, null between two
     */
    public @Nullable KcpChannel session() {
        return established;
    }

    /**
     * Tells when no more attempts are made.
     *
     * @return a future that succeeds after this side closed the session or this, and fails with the cause if it gave up
     */
    public Future<@Nullable Void> ended() {
        return ended;
    }

    /**
     * Closes the session, if there is one, and makes no more attempts.
     *
     * @return see {@link #ended()}; what the session could not deliver is in its own close future
     */
    public Future<@Nullable Void> close() {
        onLoop(() -> {
            if (closed) {
                return;
            }
            closed = true;
            unschedule();
            KcpChannel session = current;
            if (session == null) {
                end(null);
            } else {
                session.close();
            }
        });
        return ended;
    }

    /**
     * Leaves the session and opens another, as if it had been lost: when the server has said that it will stop, say. The old
     * one is closed, which waits for acknowledgements; {@link #ended()} does not wait for that. Nothing happens if there is no
     * session.
     *
     * <p>A server that sends its clients away has answered, with its first word too: the next attempt is the first, after the
     * first delay, however often that happens. If the session was not answered, the attempt has failed.
     *
     * @param cause what the listener and {@code giveUpIf} are told
     */
    public void renew(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        onLoop(() -> {
            KcpChannel session = current;
            if (session != null) {
                // First, what its event loop has to tell of it: that it was opened and answered.
                run(session.eventLoop(), () -> onLoop(() -> leave(session, cause)));
            }
        });
    }

    void start() {
        loop.terminationFuture().addListener(onLoopEnded);
        onLoop(this::attempt);
    }

    /** The last task of the loop has run, so that this may touch what belongs to it. */
    private void onLoopEnded() {
        end(closed ? null : new ClosedChannelException());
    }

    private void onLoop(Runnable action) {
        run(loop, action);
    }

    private void run(EventLoop where, Runnable action) {
        if (where.inEventLoop()) {
            action.run();
            return;
        }
        try {
            where.execute(action);
        } catch (RejectedExecutionException loopEnded) {
            // Then the session ends too, or this, see start.
            LOGGER.debug("{}: too late", this, loopEnded);
        }
    }

    private void attempt() {
        pending = null;
        SocketAddress address;
        try {
            address = Objects.requireNonNull(remote.get(), "remote");
        } catch (RuntimeException failure) {
            attempts++;
            onFailed(failure);
            return;
        }
        KcpFuture<KcpChannel> opening;
        try {
            opening = bootstrap.connect(address);
        } catch (RuntimeException mistake) {
            // Nothing was tried: the bootstrap is not complete.
            end(mistake);
            return;
        }
        attempts++;
        current = opening.channel();
        opening.addListener(opened -> onOpening(opening));
    }

    /** On the event loop of the session, which may be another, unless that has ended. */
    private void onOpening(KcpFuture<KcpChannel> opening) {
        KcpChannel session = opening.channel();
        if (opening.isSuccess()) {
            watch.configure(session);
            onLoop(() -> onOpened(session));
            // Not later: by what its handlers read first they may end it.
            run(session.eventLoop(), () -> AnswerWatch.add(session, () -> onLoop(() -> onAnswered(session))));
        } else {
            onLoop(() -> onNotOpened(session, opening.cause()));
        }
    }

    private void onNotOpened(KcpChannel session, Throwable cause) {
        if (session == current) {
            current = null;
            onFailed(cause);
        }
    }

    private void onOpened(KcpChannel session) {
        session.closeFuture().addListener(done -> onLoop(() -> onClosed(session)));
        if (session != current || closed) {
            session.close();
            return;
        }
        tell(told -> told.onOpened(session, attempts));
        if (session == current && !closed) {
            pending = delays.schedule(loop, () -> onNoAnswer(session), answerTimeout);
        }
    }

    private void onAnswered(KcpChannel session) {
        if (session != current || closed) {
            return;
        }
        unschedule();
        failures = 0;
        attempts = 0;
        established = session;
        tell(told -> told.onEstablished(session));
    }

    private void onNoAnswer(KcpChannel session) {
        pending = null;
        current = null;
        // Not the session's own close: that would wait for acknowledgements.
        session.datagramChannel().close();
        onFailed(new PeerAbsentException(session.toString(), answerTimeout));
    }

    private void onClosed(KcpChannel session) {
        if (session != current) {
            return;
        }
        Throwable cause = session.closeCause();
        if (closed || cause == null || isOwnWill(cause)) {
            current = null;
            established = null;
            unschedule();
            end(null);
        } else {
            lose(session, cause);
        }
    }

    private static boolean isOwnWill(Throwable cause) {
        return cause instanceof KcpCloseException ended && ended.reason() == KcpCloseReason.LINGER_EXPIRED;
    }

    private void leave(KcpChannel session, Throwable cause) {
        if (session == current && !closed) {
            lose(session, cause);
            session.close();
        }
    }

    private void lose(KcpChannel session, Throwable cause) {
        boolean wasEstablished = established == session;
        current = null;
        established = null;
        unschedule();
        if (wasEstablished) {
            tell(told -> told.onLost(session, cause));
        }
        onFailed(cause);
    }

    private void onFailed(Throwable cause) {
        if (closed) {
            end(null);
            return;
        }
        if (loop.isShuttingDown()) {
            end(cause);
            return;
        }
        failures++;
        if (attempts >= maxAttempts || isFinal(cause)) {
            end(cause);
            return;
        }
        Duration delay = Duration.ofMillis(backoff.delayMs(failures));
        tell(told -> told.onRetry(attempts + 1, delay, cause));
        if (!closed) {
            pending = delays.schedule(loop, this::attempt, delay);
        }
    }

    private boolean isFinal(Throwable cause) {
        try {
            return giveUpIf.test(cause);
        } catch (RuntimeException mistake) {
            LOGGER.warn("giveUpIf threw; it goes on", mistake);
            return false;
        }
    }

    private void end(@Nullable Throwable cause) {
        closed = true;
        established = null;
        boolean first = cause == null ? ended.trySuccess(null) : ended.tryFailure(cause);
        if (first) {
            loop.terminationFuture().removeListener(onLoopEnded);
            tell(told -> told.onEnded(cause));
        }
    }

    private void unschedule() {
        Future<?> task = pending;
        if (task != null) {
            pending = null;
            task.cancel(false);
        }
    }

    /** A listener that throws must not end what it listens to. */
    private void tell(Consumer<KcpReconnectListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | Error mistake) {
            LOGGER.warn("{} threw", listener, mistake);
        }
    }

    @Override
    public String toString() {
        return "KcpReconnect(" + (ended.isDone() ? "ended" : established != null ? established : "no session") + ')';
    }
}
