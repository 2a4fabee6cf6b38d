package io.kcp.examples.arena.bots;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Simulates a lossy link by dropping and delaying the datagrams of a socket in both directions. */
final class BadLink extends ChannelDuplexHandler {

    private static final int PERCENT = 100;

    private final Supplier<BotFleet.Link> link;
    private final Random random;
    private final Set<Object> inFlight = Collections.newSetFromMap(new IdentityHashMap<>());

    BadLink(Supplier<BotFleet.Link> link, Random random) {
        this.link = link;
        this.random = random;
    }

    private boolean isLost() {
        return random.nextDouble() * PERCENT < link.get().lossPercent();
    }

    private long nextDelayMicros() {
        long delayMicros = TimeUnit.NANOSECONDS.toMicros(link.get().delay().toNanos());
        return delayMicros + random.nextLong(delayMicros / 2 + 1);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (isLost()) {
            ReferenceCountUtil.release(message);
            promise.trySuccess();
            return;
        }
        long delayMicros = nextDelayMicros();
        if (delayMicros == 0) {
            context.write(message, promise);
            return;
        }
        inFlight.add(message);
        context.executor().schedule(() -> {
            if (inFlight.remove(message)) {
                context.writeAndFlush(message, promise);
            } else {
                promise.tryFailure(new IOException("the socket was closed while the datagram was in flight"));
            }
        }, delayMicros, TimeUnit.MICROSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isLost()) {
            ReferenceCountUtil.release(message);
            return;
        }
        long delayMicros = nextDelayMicros();
        if (delayMicros == 0) {
            context.fireChannelRead(message);
            return;
        }
        inFlight.add(message);
        context.executor().schedule(() -> {
            if (inFlight.remove(message)) {
                context.fireChannelRead(message);
                context.fireChannelReadComplete();
            }
        }, delayMicros, TimeUnit.MICROSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        inFlight.forEach(ReferenceCountUtil::release);
        inFlight.clear();
    }
}
