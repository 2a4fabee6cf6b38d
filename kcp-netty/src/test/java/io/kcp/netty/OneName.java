package io.kcp.netty;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Resolves any name, to the one address that the test tells, and when it tells it. */
public final class OneName extends AddressResolverGroup<InetSocketAddress> {

    private final CompletableFuture<InetSocketAddress> answer = new CompletableFuture<>();

    public void answer(InetSocketAddress address) {
        answer.complete(address);
    }

    public void fail(Throwable cause) {
        answer.completeExceptionally(cause);
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
            @Override
            protected boolean doIsResolved(InetSocketAddress address) {
                return !address.isUnresolved();
            }

            @Override
            protected void doResolve(InetSocketAddress unresolved, Promise<InetSocketAddress> promise) {
                answer.whenComplete((address, failure) -> executor.execute(() -> {
                    if (failure != null) {
                        promise.tryFailure(failure);
                    } else {
                        promise.trySuccess(address);
                    }
                }));
            }

            @Override
            protected void doResolveAll(InetSocketAddress unresolved, Promise<List<InetSocketAddress>> promise) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
