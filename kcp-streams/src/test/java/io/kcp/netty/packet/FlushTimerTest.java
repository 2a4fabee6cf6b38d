package io.kcp.netty.packet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.local.LocalChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs many coalescers on one event loop with the real clock. */
@Timeout(60)
@Tag("jdk")
class FlushTimerTest {

    private static final int CHANNELS = 1_000;
    private static final int ROUNDS = 200;

    private final CountingLoop loop = new CountingLoop();
    private final List<Channel> channels = new ArrayList<>();
    private volatile CountDownLatch flushes = new CountDownLatch(0);

    @AfterEach
    void shutDown() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private void open(long delay, TimeUnit unit) {
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(LocalChannel.class).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void flush(ChannelHandlerContext context) {
                        flushes.countDown();
                    }
                }, new FlushCoalescer(delay, 10 * delay, unit));
            }
        });
        channels.add(bootstrap.register().syncUninterruptibly().channel());
    }

    /** Requests a flush of every channel and waits for all flushes. */
    private void flushAll() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(channels.size());
        flushes = latch;
        loop.execute(() -> channels.forEach(channel -> channel.pipeline().flush()));
        assertThat(latch.await(30, TimeUnit.SECONDS)).as("all channels are flushed").isTrue();
    }

    @Test
    void oneTimerServesAllChannelsWithoutAllocating() throws Exception {
        for (int i = 0; i < CHANNELS; i++) {
            open(1, TimeUnit.MILLISECONDS);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = loop.submit(() -> Thread.currentThread().getId()).get();
        for (int round = 0; round < ROUNDS; round++) {
            flushAll();
        }
        loop.scheduled.set(0);
        long before = threads.getThreadAllocatedBytes(thread);
        for (int round = 0; round < ROUNDS; round++) {
            flushAll();
        }
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertThat(allocated / (ROUNDS * CHANNELS)).as("bytes per deferred flush").isLessThan(8);
        assertThat(loop.scheduled.get()).as("timer tasks").isLessThan(ROUNDS * CHANNELS / 20);
    }

    @Test
    void shortDelayIsNotHeldBackByALongOne() throws Exception {
        open(1, TimeUnit.HOURS);
        loop.submit(() -> channels.get(0).pipeline().flush()).get();
        channels.clear();
        open(1, TimeUnit.MILLISECONDS);
        flushAll();
    }

    private static final class CountingLoop extends DefaultEventLoop {

        final AtomicInteger scheduled = new AtomicInteger();

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            scheduled.incrementAndGet();
            return super.schedule(command, delay, unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            scheduled.incrementAndGet();
            return super.schedule(callable, delay, unit);
        }
    }
}
