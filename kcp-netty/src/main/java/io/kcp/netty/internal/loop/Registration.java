package io.kcp.netty.internal.loop;

import io.netty.channel.ChannelPromise;

/**
 * Completes the promise of {@code doRegister} even after an exception, because Netty does not catch exceptions that {@code doRegister}
 * throws.
 */
public final class Registration {

    private Registration() {
    }

    /**
     * Runs a registration step and completes the promise. If the step throws an exception, the promise fails, and Netty closes the channel.
     */
    public static void complete(ChannelPromise promise, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | OutOfMemoryError failure) {
            promise.setFailure(failure);
            return;
        }
        promise.setSuccess();
    }
}
