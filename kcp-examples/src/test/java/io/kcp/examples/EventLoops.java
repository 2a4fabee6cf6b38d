package io.kcp.examples;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Event loops that are started before the first test of a class and shut down after the last one. */
final class EventLoops implements BeforeAllCallback, AfterAllCallback {

    private final KcpTransport transport;
    private final int threads;
    private @Nullable EventLoopGroup group;

    EventLoops(KcpTransport transport, int threads) {
        this.transport = transport;
        this.threads = threads;
    }

    EventLoops(int threads) {
        this(KcpTransport.best(), threads);
    }

    EventLoopGroup group() {
        return Objects.requireNonNull(group, "the tests of the class have not started");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        group = new MultiThreadIoEventLoopGroup(threads, transport.ioHandlerFactory());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        group().shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
