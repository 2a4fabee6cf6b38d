package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.tools.command.Preset;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KcpPlayerTest {

    @Timeout(60)
    @Test
    void failedConnectClosesTheServer() throws InterruptedException {
        try (OneChannelGroup group = new OneChannelGroup()) {
            assertThatThrownBy(() -> new KcpPlayer(group, new Variant(Preset.FAST3, null), KcpConfig.fast3(), null, LinkConditions.PERFECT,
                1, new DemoTraffic(1, 1, 100, 1))).isInstanceOf(RejectedExecutionException.class).hasMessage("second channel");
            for (int tasks = 0; tasks < 100 && group.channels() > 0; tasks++) {
                group.submit(() -> { }).sync();
            }
            assertThat(group.channels()).isZero();
        }
    }

    /** Event loop group whose only event loop rejects a second channel. */
    private static final class OneChannelGroup extends MultiThreadIoEventLoopGroup implements AutoCloseable {

        OneChannelGroup() {
            super(1, KcpTransport.best().ioHandlerFactory());
        }

        @Override
        protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... arguments) {
            return new CountingLoop(this, executor, factory);
        }

        @Override
        public IoEventLoop next() {
            if (channels() > 0) {
                throw new RejectedExecutionException("second channel");
            }
            return super.next();
        }

        int channels() {
            return ((CountingLoop) iterator().next()).getNumOfRegisteredChannels();
        }

        @Override
        public Future<?> submit(Runnable task) {
            return iterator().next().submit(task);
        }

        @Override
        public void close() {
            shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static final class CountingLoop extends SingleThreadIoEventLoop {

        CountingLoop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory factory) {
            super(parent, executor, factory);
        }

        @Override
        protected int getNumOfRegisteredChannels() {
            return super.getNumOfRegisteredChannels();
        }
    }
}
