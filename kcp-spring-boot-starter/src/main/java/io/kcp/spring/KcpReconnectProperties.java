package io.kcp.spring;

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
}
