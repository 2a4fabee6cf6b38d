package io.kcp.spring.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Properties of the reconnecting of lost client sessions. */
public class KcpReconnectProperties {

    /** Delay before the next attempt after a loss or a failed attempt; doubles with each further failed attempt. */
    private Duration firstDelay = Duration.ofMillis(200);

    /** Maximum delay between attempts. */
    private Duration maxDelay = Duration.ofSeconds(10);

    /** Random share of each delay, from 0 to 1. */
    private double jitter = 0.5;

    /** Consecutive failed attempts after which the client gives up; by default it never gives up. */
    private @Nullable Integer maxAttempts;

    /** Time within which a new session must receive a datagram; otherwise the attempt has failed. */
    private Duration answerTimeout = Duration.ofSeconds(5);

    /**
     * Time without a datagram after which the client sends a liveness probe; 0 for never. By default 3s, or kcp.client.keepalive if that is
     * shorter.
     */
    private @Nullable Duration keepalive;

    /**
     * Time without a datagram while data is unacknowledged, after which the session is lost; 0 for never. By default 6s, or
     * kcp.client.dead-peer-timeout if that is shorter.
     */
    private @Nullable Duration deadPeerTimeout;

    /** Creates properties with their default values. */
    public KcpReconnectProperties() {
    }

    public Duration getFirstDelay() {
        return firstDelay;
    }

    public void setFirstDelay(Duration firstDelay) {
        this.firstDelay = firstDelay;
    }

    public Duration getMaxDelay() {
        return maxDelay;
    }

    public void setMaxDelay(Duration maxDelay) {
        this.maxDelay = maxDelay;
    }

    public double getJitter() {
        return jitter;
    }

    public void setJitter(double jitter) {
        this.jitter = jitter;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public Duration getAnswerTimeout() {
        return answerTimeout;
    }

    public void setAnswerTimeout(Duration answerTimeout) {
        this.answerTimeout = answerTimeout;
    }

    public @Nullable Duration getKeepalive() {
        return keepalive;
    }

    public void setKeepalive(@Nullable Duration keepalive) {
        this.keepalive = keepalive;
    }

    public @Nullable Duration getDeadPeerTimeout() {
        return deadPeerTimeout;
    }

    public void setDeadPeerTimeout(@Nullable Duration deadPeerTimeout) {
        this.deadPeerTimeout = deadPeerTimeout;
    }
}
