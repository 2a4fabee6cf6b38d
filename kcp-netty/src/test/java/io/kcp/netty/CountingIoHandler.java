package io.kcp.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often an event loop polls its I/O handler for events. */
public record CountingIoHandler(IoHandler handler, AtomicInteger rounds) implements IoHandler {

    public static IoHandlerFactory factory(IoHandlerFactory factory, AtomicInteger rounds) {
        return executor -> new CountingIoHandler(factory.newHandler(executor), rounds);
    }

    @Override
    public void initialize() {
        handler.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        rounds.incrementAndGet();
        return handler.run(context);
    }

    @Override
    public void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
        handler.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    @Override
    public void wakeup() {
        handler.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }
}
