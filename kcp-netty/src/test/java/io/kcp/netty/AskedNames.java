package io.kcp.netty;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;

/** Resolves any name: a test says how. */
public abstract class AskedNames extends AddressResolverGroup<InetSocketAddress> {

    /** Is asked for an address, on the executor; the promise is to be completed there or on any thread. */
    protected abstract void onAsked(EventExecutor executor, Promise<InetSocketAddress> answer);

    @Override
    protected final AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
            @Override
            protected boolean doIsResolved(InetSocketAddress address) {
                return !address.isUnresolved();
            }

            @Override
            protected void doResolve(InetSocketAddress unresolved, Promise<InetSocketAddress> promise) {
                onAsked(executor, promise);
            }

            @Override
            protected void doResolveAll(InetSocketAddress unresolved, Promise<List<InetSocketAddress>> promise) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
