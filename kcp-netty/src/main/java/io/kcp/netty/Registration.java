package io.kcp.netty;

import io.netty.channel.ChannelPromise;

/** Completes the promise of {@code doRegister} in every case, because Netty does not catch what {@code doRegister} throws. */
final class Registration {

    private Registration() {
    }

    /** Runs the step and completes the promise. If the step throws, the promise fails, and Netty closes the channel. */
    static void complete(ChannelPromise promise, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | OutOfMemoryError failure) {
            promise.setFailure(failure);
            return;
        }
        promise.setSuccess();
    }
}
