package io.kcp.examples.arena.bots;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Stands next to the socket of a bot: loses and delays what goes through, both ways. */
final class BadLink extends ChannelDuplexHandler {

    private static final int PERCENT = 100;

    private final double lossPercent;
    private final long delayMicros;
    private final Random random;
    /** What is under way. */
    private final Set<Object> messages = Collections.newSetFromMap(new IdentityHashMap<>());

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
        messages.add(message);
        context.executor().schedule(() -> {
            if (messages.remove(message)) {
                context.writeAndFlush(message, promise);
            } else {
                promise.tryFailure(new IOException("the socket was closed while this was under way"));
            }
        }, passesMicros(), TimeUnit.MICROSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isLost()) {
            ReferenceCountUtil.release(message);
            return;
        }
        messages.add(message);
        context.executor().schedule(() -> {
            if (messages.remove(message)) {
                context.fireChannelRead(message);
                context.fireChannelReadComplete();
            }
        }, passesMicros(), TimeUnit.MICROSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        messages.forEach(ReferenceCountUtil::release);
        messages.clear();
    }
}
