package io.kcp.spring.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configuration properties for reconnecting lost client sessions. */
public class KcpReconnectProperties {

    /** Delay before the first attempt to reconnect. The delay doubles with each failed attempt. */
    private Duration firstDelay = Duration.ofMillis(200);

    /** Maximum delay before an attempt to reconnect. */
    private Duration maxDelay = Duration.ofSeconds(10);

    /** Maximum fraction by which a delay is shortened at random, from 0 to 1. */
    private double jitter = 0.5;

    /** Number of consecutive failed attempts after which the client gives up. By default, the client never gives up. */
    private @Nullable Integer maxAttempts;

    /** Time after which an attempt fails if the new session has not received a datagram. */
    private Duration answerTimeout = Duration.ofSeconds(5);

    /**
     * Time without a datagram from the server after which the client sends a liveness probe, or 0 to send none. The default is 3s, or
     * kcp.client.keepalive if that is shorter.
     */
    private @Nullable Duration keepalive;

    /**
     * Time without a datagram from the server after which a session with unacknowledged data is considered lost, or 0 to disable the
     * timeout. The default is 6s, or kcp.client.dead-peer-timeout if that is shorter.
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
