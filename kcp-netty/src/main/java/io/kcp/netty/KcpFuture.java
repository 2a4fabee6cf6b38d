package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;

/**
 * A {@link ChannelFuture} whose {@link #channel()} needs no cast. The futures of {@link io.kcp.netty.bootstrap.KcpBootstrap KcpBootstrap}
 * and {@link KcpHandler} return a {@link KcpChannel}, and the future of {@link io.kcp.netty.bootstrap.KcpServerBootstrap
 * KcpServerBootstrap} returns a {@link KcpServerChannel}. As with every {@code ChannelFuture}, the channel exists before the future
 * completes. The future completes when the channel is open.
 *
 * <pre>{@code
 * KcpChannel session = bootstrap.connect("game.example", 9000).sync().channel();
 * }</pre>
 *
 * @param <C> type of the channel
 */
public interface KcpFuture<C extends Channel> extends ChannelFuture {

    @Override
    C channel();

    @Override
    KcpFuture<C> sync() throws InterruptedException;

    @Override
    KcpFuture<C> syncUninterruptibly();

    @Override
    KcpFuture<C> await() throws InterruptedException;

    @Override
    KcpFuture<C> awaitUninterruptibly();

    @Override
    KcpFuture<C> addListener(GenericFutureListener<? extends Future<? super Void>> listener);

    @Override
    @SuppressWarnings({"unchecked", "varargs"})
    KcpFuture<C> addListeners(GenericFutureListener<? extends Future<? super Void>>... listeners);

    @Override
    KcpFuture<C> removeListener(GenericFutureListener<? extends Future<? super Void>> listener);

    @Override
    @SuppressWarnings({"unchecked", "varargs"})
    KcpFuture<C> removeListeners(GenericFutureListener<? extends Future<? super Void>>... listeners);
}
