package io.kcp.spring.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How sessions of this application come back that were lost. */
public class KcpReconnectProperties {

    /** Delay before the second attempt, and before the first after a loss; doubles with each failure. */
    private Duration firstDelay = Duration.ofMillis(200);

    /** Longest delay. */
    private Duration maxDelay = Duration.ofSeconds(10);

    /** Share of a delay that is left to chance, 0 to 1. */
    private double jitter = 0.5;

    /** Attempts in a row after which it gives up; never unless set. */
    private @Nullable Integer maxAttempts;

    /** How long a new session may hear nothing before its attempt has failed. */
    private Duration answerTimeout = Duration.ofSeconds(5);

    /** After how long without a datagram the server is probed, 0 for never; 3s unless kcp.client.keepalive is shorter. */
    private @Nullable Duration keepalive;

    /** After how long without an answer the session is lost, 0 for never; 6s unless kcp.client.dead-peer-timeout is shorter. */
    private @Nullable Duration deadPeerTimeout;

    /** Creates what has its defaults. */
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
