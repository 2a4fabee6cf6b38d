package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.bootstrap.KcpBootstrap;
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
 * Keeps a client connected by opening a new session whenever the current session is lost or its peer does not respond. The delays between
 * attempts grow exponentially, with random jitter. This class is intended for game clients, bots and tunnels.
 *
 * <pre>{@code
 * KcpReconnect reconnect = KcpReconnect.to(bootstrap, () -> InetSocketAddress.createUnresolved("game.example", 9000))
 *     .maxAttempts(10).listener(listener).start();
 * }</pre>
 *
 * <p>The handler of the bootstrap is added to the pipeline of every session, so it must be sharable, as a {@code ChannelInitializer} is. It
 * should write a message when the session becomes active, such as a resume token, because KCP has no handshake. Data that a lost session
 * did not deliver is not retransmitted by the next session.
 *
 * <p>An unreachable server is detected within ten seconds. After 3 s without a datagram the server is probed, and the session is lost if
 * the probe or any data is not acknowledged within 6 s. {@link KcpReconnectBuilder#keepalive(Duration)} and
 * {@link KcpReconnectBuilder#deadPeerTimeout(Duration)} change these times.
 *
 * <p>Reconnecting stops when the application closes the session or this object, when {@code maxAttempts} is reached, when {@code giveUpIf}
 * returns {@code true}, or when the event loop of this object shuts down. A session that was closed with {@link KcpChannel#closeBecause} is
 * lost, so another is opened unless {@code giveUpIf} returns {@code true} for the cause. All methods may be called from any thread.
 */
public final class KcpReconnect {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpReconnect.class);

    private final KcpBootstrap bootstrap;
    private final Supplier<? extends SocketAddress> remote;
    private final Duration answerTimeout;
    private final int maxAttempts;
    private final Predicate<? super Throwable> giveUpIf;
    private final KcpReconnectListener listener;
    private final ReconnectDelay backoff;
    private final Delays delays;
    private final LivenessSettings watch;
    private final EventLoop loop;
    // Uses the global executor, which can notify listeners even after the event loop has terminated.
    private final Promise<@Nullable Void> ended = GlobalEventExecutor.INSTANCE.newPromise();
    private final FutureListener<Object> onLoopEnded = loopEnded -> onLoopEnded();
    private volatile @Nullable KcpChannel established;
    /**
     * The session that is currently open or being opened, or null if there is none. This field and the next four are used on the event loop
     * only.
     */
    private @Nullable KcpChannel current;
    /** The next scheduled task: the next attempt if there is no session, otherwise the timeout for the first response on the session. */
    private @Nullable Future<?> pending;
    /** Number of consecutive failures since the most recent session was established, including the loss of that session. */
    private int failures;
    /** Number of attempts since the most recent session was established. */
    private int attempts;
    private boolean closed;

    KcpReconnect(KcpReconnectBuilder settings, ReconnectDelay backoff) {
        bootstrap = settings.bootstrap;
        remote = settings.remote;
        answerTimeout = settings.answerTimeout;
        maxAttempts = settings.maxAttempts;
        giveUpIf = settings.giveUpIf;
        listener = settings.listener;
        delays = settings.delays;
        watch = new LivenessSettings(settings.keepalive, settings.deadPeerTimeout);
        this.backoff = backoff;
        loop = bootstrap.group().next();
    }

    /**
     * Returns a builder for a reconnecting session.
     *
     * @param bootstrap opens the sessions; needs a group and a handler, and must not be changed afterwards. Several reconnecting sessions
     *                  may share one bootstrap.
     * @param remote    supplies the server address before each attempt, for example another gateway each time. It is called on an event
     *                  loop and must not block; {@code new InetSocketAddress(name, port)} would block. An unresolved address is resolved
     *                  again for each attempt, see {@link KcpBootstrap#resolver}. If the supplier throws an exception, the attempt fails.
     * @return a builder
     * @throws IllegalStateException if the bootstrap has no group
     */
    public static KcpReconnectBuilder to(KcpBootstrap bootstrap, Supplier<? extends SocketAddress> remote) {
        bootstrap.group();
        return new KcpReconnectBuilder(bootstrap, Objects.requireNonNull(remote, "remote"));
    }

    /**
     * Returns the current session if its peer has responded.
     *
     * @return the session, or null if none is established
     */
    public @Nullable KcpChannel session() {
        return established;
    }

    /**
     * Returns a future that completes when this object makes no further attempts.
     *
     * @return a future that succeeds after the application closed the session or this object, and otherwise fails with the cause
     */
    public Future<@Nullable Void> ended() {
        return ended;
    }

    /**
     * Closes the current session, if there is one, and stops all attempts.
     *
     * @return the future of {@link #ended()}; the close future of the session reports undelivered data
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
     * Replaces the current session with a new one, for example after the server has announced that it will stop. The current session is
     * treated as lost, and is closed after its data is acknowledged. The future of {@link #ended()} does not wait for that. Without a
     * session, this method has no effect.
     *
     * <p>A server that asks its clients to leave has responded, even if that request is its first message. The attempts are then counted
     * from 1 again, and the next attempt follows after the first delay, regardless of how often this happens. If the server has not
     * responded, the attempt has failed.
     *
     * @param cause the cause that the listener and {@code giveUpIf} receive
     */
    public void renew(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        onLoop(() -> {
            KcpChannel session = current;
            if (session != null) {
                // Submits this task to the session's event loop, so that it runs after the tasks that report the opening of the session and
                // the first response of the server.
                run(session.eventLoop(), () -> onLoop(() -> leave(session, cause)));
            }
        });
    }

    void start() {
        loop.terminationFuture().addListener(onLoopEnded);
        onLoop(this::attempt);
    }

    /**
     * Stops reconnecting after the event loop has terminated. Any thread may call this method, because the event loop no longer uses the
     * fields.
     */
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
            // A terminated event loop has closed its sessions. If the event loop of this object has terminated, onLoopEnded() stops
            // reconnecting.
            LOGGER.debug("{} ignores a task, because the event loop has terminated", this, loopEnded);
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
            // Does not try again, because an exception here means that the bootstrap is not fully configured.
            end(mistake);
            return;
        }
        attempts++;
        current = opening.channel();
        opening.addListener(opened -> onOpening(opening));
    }

    /**
     * Handles the result of an attempt. This method is called on the event loop of the session, which may differ from {@code loop}, unless
     * the event loop of the session has terminated.
     */
    private void onOpening(KcpFuture<KcpChannel> opening) {
        KcpChannel session = opening.channel();
        if (opening.isSuccess()) {
            watch.configure(session);
            onLoop(() -> onOpened(session));
            // Adds the FirstResponse immediately, because a handler may close the session as soon as it has read the first message.
            run(session.eventLoop(), () -> FirstResponse.add(session, () -> onLoop(() -> onAnswered(session))));
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
        notifyListener(each -> each.onOpened(session, attempts));
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
        notifyListener(each -> each.onEstablished(session));
    }

    private void onNoAnswer(KcpChannel session) {
        pending = null;
        current = null;
        // Closes the datagram channel instead of the session, because session.close() would wait for acknowledgements.
        session.datagramChannel().close();
        onFailed(new PeerAbsentException(session.toString(), answerTimeout));
    }

    private void onClosed(KcpChannel session) {
        if (session != current) {
            return;
        }
        Throwable cause = session.closeCause();
        if (closed || cause == null || isClosedByApplication(cause)) {
            current = null;
            established = null;
            unschedule();
            end(null);
        } else {
            lose(session, cause);
        }
    }

    private static boolean isClosedByApplication(Throwable cause) {
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
            notifyListener(each -> each.onLost(session, cause));
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
        notifyListener(each -> each.onRetry(attempts + 1, delay, cause));
        if (!closed) {
            pending = delays.schedule(loop, this::attempt, delay);
        }
    }

    private boolean isFinal(Throwable cause) {
        try {
            return giveUpIf.test(cause);
        } catch (RuntimeException mistake) {
            LOGGER.warn("The giveUpIf predicate of {} threw an exception. Reconnecting continues.", this, mistake);
            return false;
        }
    }

    private void end(@Nullable Throwable cause) {
        closed = true;
        established = null;
        boolean first = cause == null ? ended.trySuccess(null) : ended.tryFailure(cause);
        if (first) {
            loop.terminationFuture().removeListener(onLoopEnded);
            notifyListener(each -> each.onEnded(cause));
        }
    }

    private void unschedule() {
        Future<?> task = pending;
        if (task != null) {
            pending = null;
            task.cancel(false);
        }
    }

    /** Notifies the listener. Exceptions of the listener are logged, so that they do not stop reconnecting. */
    private void notifyListener(Consumer<KcpReconnectListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | Error mistake) {
            LOGGER.warn("The listener {} threw an exception", listener, mistake);
        }
    }

    @Override
    public String toString() {
        return "KcpReconnect(" + (ended.isDone() ? "ended" : established != null ? established : "no session") + ')';
    }
}
