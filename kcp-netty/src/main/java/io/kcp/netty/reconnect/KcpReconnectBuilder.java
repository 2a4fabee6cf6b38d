package io.kcp.netty.reconnect;

import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannelOption;
import io.netty.channel.ChannelPipelineException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link KcpReconnect}. Not thread safe; may be used again. */
public final class KcpReconnectBuilder {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final Duration MAX_WATCH = Duration.ofDays(1);

    final KcpBootstrap bootstrap;
    final Supplier<? extends SocketAddress> remote;
    Duration answerTimeout = Duration.ofSeconds(5);
    @Nullable Duration keepalive;
    @Nullable Duration deadPeerTimeout;
    Duration firstDelay = Duration.ofMillis(200);
    Duration maxDelay = Duration.ofSeconds(10);
    double jitter = 0.5;
    int maxAttempts = Integer.MAX_VALUE;
    Predicate<? super Throwable> giveUpIf =
        cause -> cause instanceof IllegalArgumentException || cause instanceof ChannelPipelineException;
    KcpReconnectListener listener = KcpReconnectListener.NONE;
    Delays delays = Delays.REAL;
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

    KcpReconnectBuilder(KcpBootstrap bootstrap, Supplier<? extends SocketAddress> remote) {
        this.bootstrap = bootstrap;
        this.remote = remote;
    }

    /**
     * Sets how long a new session may hear nothing before the attempt has failed. KCP has no handshake: the peer can answer
     * only what was written, so the handler of the session must write something when it becomes active. The default is 5 s.
     *
     * @param answerTimeout at least 1 ms
     * @return this
     */
    public KcpReconnectBuilder answerTimeout(Duration answerTimeout) {
        this.answerTimeout = positive("answerTimeout", answerTimeout);
        return this;
    }

    /**
     * Sets after how long without a datagram the server is probed, instead of the bootstrap's {@link KcpChannelOption#KEEPALIVE_MS}. The
     * default is 3 s, or the bootstrap's value if that is shorter.
     *
     * @param keepalive at least 1 s, or zero for never; kept to the second, and shorter than the idle timeout
     * @return this
     */
    public KcpReconnectBuilder keepalive(Duration keepalive) {
        if (!keepalive.isZero() && keepalive.compareTo(Duration.ofSeconds(1)) < 0 || keepalive.compareTo(MAX_WATCH) > 0) {
            throw new IllegalArgumentException("keepalive: " + keepalive + " (expected: 1 s to 1 day, or 0 for never)");
        }
        this.keepalive = keepalive;
        return this;
    }

    /**
     * Sets after how long without an answer to a probe, or to data, the session is lost, instead of the bootstrap's
     * {@link KcpChannelOption#DEAD_PEER_TIMEOUT_MS}. The default is 6 s, or the bootstrap's value if that is shorter.
     *
     * @param deadPeerTimeout up to 1 day, zero for never
     * @return this
     */
    public KcpReconnectBuilder deadPeerTimeout(Duration deadPeerTimeout) {
        if (deadPeerTimeout.isNegative() || deadPeerTimeout.compareTo(MAX_WATCH) > 0) {
            throw new IllegalArgumentException("deadPeerTimeout: " + deadPeerTimeout + " (expected: 0, for never, to 1 day)");
        }
        this.deadPeerTimeout = deadPeerTimeout;
        return this;
    }

    /**
     * Sets the delay after the first failure, which the loss of a session is too; it doubles with each that follows. The
     * default is 200 ms.
     *
     * @param firstDelay at least 1 ms
     * @return this
     */
    public KcpReconnectBuilder firstDelay(Duration firstDelay) {
        this.firstDelay = positive("firstDelay", firstDelay);
        return this;
    }

    /**
     * Sets the longest delay. The default is 10 s.
     *
     * @param maxDelay at least the first delay
     * @return this
     */
    public KcpReconnectBuilder maxDelay(Duration maxDelay) {
        this.maxDelay = positive("maxDelay", maxDelay);
        return this;
    }

    /**
     * Sets which share of a delay is left to chance. The default is 0.5: between half of the delay and all of it.
     *
     * @param jitter 0 to 1
     * @return this
     */
    public KcpReconnectBuilder jitter(double jitter) {
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter: " + jitter + " (expected: 0 to 1)");
        }
        this.jitter = jitter;
        return this;
    }

    /**
     * Sets how many attempts in a row may fail before it gives up. The default is any number.
     *
     * @param maxAttempts at least 1; a session that was established begins the count anew
     * @return this
     */
    public KcpReconnectBuilder maxAttempts(int maxAttempts) {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts: " + maxAttempts + " (expected: at least 1)");
        }
        this.maxAttempts = maxAttempts;
        return this;
    }

    /**
     * Sets after which failures no other attempt is made. The default are the mistakes of a program, which no attempt mends:
     * an option that is out of range ({@code IllegalArgumentException}), a handler that may be used but once
     * ({@code ChannelPipelineException}).
     *
     * @param giveUpIf told the cause, that of a lost session too; called on the event loop
     * @return this
     */
    public KcpReconnectBuilder giveUpIf(Predicate<? super Throwable> giveUpIf) {
        this.giveUpIf = Objects.requireNonNull(giveUpIf, "giveUpIf");
        return this;
    }

    /**
     * Sets who is told how it goes.
     *
     * @param listener called on the event loop
     * @return this
     */
    public KcpReconnectBuilder listener(KcpReconnectListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /** Takes the place of chance, for tests: from 0 to 1. */
    KcpReconnectBuilder random(DoubleSupplier random) {
        this.random = random;
        return this;
    }

    /** Takes the place of time, for tests. */
    KcpReconnectBuilder delays(Delays delays) {
        this.delays = delays;
        return this;
    }

    /**
     * Makes the first attempt.
     *
     * @return what goes on until it is closed or gives up
     * @throws IllegalArgumentException if the longest delay is shorter than the first
     */
    public KcpReconnect start() {
        if (maxDelay.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException("maxDelay: " + maxDelay + " (expected: at least firstDelay, " + firstDelay + ')');
        }
        KcpReconnect reconnect = new KcpReconnect(this, new Backoff(firstDelay.toMillis(), maxDelay.toMillis(), jitter, random));
        reconnect.start();
        return reconnect;
    }

    private static Duration positive(String name, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1 ms to 365 days)");
        }
        return value;
    }
}
