package io.kcp.examples.arena.bots;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Stands next to the socket of a bot: loses and delays what goes through, both ways. */
final class BadLink extends ChannelDuplexHandler {

    private static final int PERCENT = 100;

    private final double lossPercent;
    private final long delayMicros;
    private final Random random;

    BadLink(double lossPercent, Duration delay, Random random) {
        this.lossPercent = lossPercent;
        this.delayMicros = TimeUnit.NANOSECONDS.toMicros(delay.toNanos());
        this.random = random;
    }

    private boolean isLost() {
        return random.nextDouble() * PERCENT < lossPercent;
    }

    private long passesMicros() {
        return delayMicros + random.nextLong(delayMicros / 2 + 1);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (isLost()) {
            ReferenceCountUtil.release(message);
            promise.trySuccess();
            return;
        }
        context.executor().schedule(() -> {
            if (context.isRemoved()) {
                ReferenceCountUtil.release(message);
                promise.tryFailure(new IOException("the socket was closed while this was under way"));
            } else {
                context.writeAndFlush(message, promise);
            }
        }, passesMicros(), TimeUnit.MICROSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isLost()) {
            ReferenceCountUtil.release(message);
            return;
        }
        context.executor().schedule(() -> {
            if (context.isRemoved() || !context.channel().isActive()) {
                ReferenceCountUtil.release(message);
            } else {
                context.fireChannelRead(message);
                context.fireChannelReadComplete();
            }
        }, passesMicros(), TimeUnit.MICROSECONDS);
    }
}
