package io.kcp.netty;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** A resolver that resolves every name to one address, at the time that the test chooses. */
public final class OneName extends AskedNames {

    private final CompletableFuture<InetSocketAddress> answer = new CompletableFuture<>();

    public void answer(InetSocketAddress address) {
        answer.complete(address);
    }

    public void fail(Throwable cause) {
        answer.completeExceptionally(cause);
    }

    @Override
    protected void onAsked(EventExecutor executor, Promise<InetSocketAddress> promise) {
        answer.whenComplete((address, failure) -> executor.execute(() -> {
            if (failure != null) {
                promise.tryFailure(failure);
            } else {
                promise.trySuccess(address);
            }
        }));
    }
}
