package io.kcp.netty;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;

/** A resolver whose result for every name is supplied by the test. */
public abstract class AskedNames extends AddressResolverGroup<InetSocketAddress> {

    /** Called on {@code executor} when a name is resolved. The promise may be completed on any thread. */
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
