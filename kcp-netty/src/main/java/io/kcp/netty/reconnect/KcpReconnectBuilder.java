package io.kcp.netty.reconnect;

import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.channel.ChannelPipelineException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds and starts a {@link KcpReconnect}. This class is not thread-safe. A builder may be used several times. */
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
     * Sets the time after which an attempt fails if the peer has not responded. KCP has no handshake, so the peer responds only if a
     * message was written. The handler of the session must therefore write a message when the session becomes active. The default is 5 s.
     *
     * @param answerTimeout the timeout, at least 1 ms
     * @return this
     */
    public KcpReconnectBuilder answerTimeout(Duration answerTimeout) {
        this.answerTimeout = positive("answerTimeout", answerTimeout);
        return this;
    }

    /**
     * Sets the time without an inbound datagram after which the server is probed. Overrides {@link KcpChannelOption#KEEPALIVE_MS} of the
     * bootstrap. The default is 3 s, or the value of the bootstrap if that is shorter.
     *
     * @param keepalive the time, at least 1 s and shorter than the idle timeout, with a resolution of 1 s; zero disables probes
     * @return this
     */
    public KcpReconnectBuilder keepalive(Duration keepalive) {
        if (!keepalive.isZero() && keepalive.compareTo(Duration.ofSeconds(1)) < 0 || keepalive.compareTo(MAX_WATCH) > 0) {
            throw new IllegalArgumentException("keepalive: " + keepalive + " (expected: 1 s to 1 day, or 0 to disable probes)");
        }
        this.keepalive = keepalive;
        return this;
    }

    /**
     * Sets the time after which the session is considered lost if a probe or data remains unacknowledged. Overrides
     * {@link KcpChannelOption#DEAD_PEER_TIMEOUT_MS} of the bootstrap. The default is 6 s, or the value of the bootstrap if that is shorter.
     *
     * @param deadPeerTimeout the timeout, at most 1 day; zero disables it
     * @return this
     */
    public KcpReconnectBuilder deadPeerTimeout(Duration deadPeerTimeout) {
        if (deadPeerTimeout.isNegative() || deadPeerTimeout.compareTo(MAX_WATCH) > 0) {
            throw new IllegalArgumentException("deadPeerTimeout: " + deadPeerTimeout + " (expected: at most 1 day, or 0 to disable it)");
        }
        this.deadPeerTimeout = deadPeerTimeout;
        return this;
    }

    /**
     * Sets the delay between the first failure and the next attempt. The loss of a session counts as a failure. The delay doubles with each
     * further failure. The default is 200 ms.
     *
     * @param firstDelay the delay, at least 1 ms
     * @return this
     */
    public KcpReconnectBuilder firstDelay(Duration firstDelay) {
        this.firstDelay = positive("firstDelay", firstDelay);
        return this;
    }

    /**
     * Sets the maximum delay between two attempts. The default is 10 s.
     *
     * @param maxDelay the delay, at least the first delay
     * @return this
     */
    public KcpReconnectBuilder maxDelay(Duration maxDelay) {
        this.maxDelay = positive("maxDelay", maxDelay);
        return this;
    }

    /**
     * Sets the maximum fraction by which a delay is randomly reduced. With the default, 0.5, a delay is between half of its full length and
     * its full length.
     *
     * @param jitter the fraction, 0 to 1
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
     * Sets the number of consecutive failed attempts after which the client stops reconnecting. The default is unlimited.
     *
     * @param maxAttempts the number, at least 1; an established session resets the count
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
     * Sets the predicate that selects the failures after which no further attempt is made. The default predicate selects programming
     * errors, which every attempt would repeat. These are an option that is out of range ({@code IllegalArgumentException}) and a handler
     * that is not sharable ({@code ChannelPipelineException}).
     *
     * @param giveUpIf returns {@code true} to stop; receives the cause of a failed attempt or of a lost session, on the event loop
     * @return this
     */
    public KcpReconnectBuilder giveUpIf(Predicate<? super Throwable> giveUpIf) {
        this.giveUpIf = Objects.requireNonNull(giveUpIf, "giveUpIf");
        return this;
    }

    /**
     * Sets the listener of session and retry events.
     *
     * @param listener called on the event loop
     * @return this
     */
    public KcpReconnectBuilder listener(KcpReconnectListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /** Replaces the source of random numbers from 0 to 1, for tests. */
    KcpReconnectBuilder random(DoubleSupplier random) {
        this.random = random;
        return this;
    }

    /** Replaces the scheduling of delayed tasks, for tests. */
    KcpReconnectBuilder delays(Delays delays) {
        this.delays = delays;
        return this;
    }

    /**
     * Starts the first attempt.
     *
     * @return a reconnecting session, which runs until it is closed or gives up
     * @throws IllegalArgumentException if the maximum delay is shorter than the first delay
     */
    public KcpReconnect start() {
        if (maxDelay.compareTo(firstDelay) < 0) {
            throw new IllegalArgumentException("maxDelay: " + maxDelay + " (expected: at least firstDelay, " + firstDelay + ')');
        }
        KcpReconnect reconnect = new KcpReconnect(this, new ReconnectDelay(firstDelay.toMillis(), maxDelay.toMillis(), jitter, random));
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
