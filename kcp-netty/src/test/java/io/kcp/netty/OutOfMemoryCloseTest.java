package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.server.ServerDrain;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing a session or a server completes even if an allocation during the close fails. */
@Timeout(60)
class OutOfMemoryCloseTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 1_000);

    private final EmbeddedChannel socket = new EmbeddedChannel();
    private final AtomicBoolean failing = new AtomicBoolean();

    /** Returns a proxy of the event loop whose method {@code name} throws while {@link #failing} is set. */
    private <T extends EventExecutor> T failing(Class<T> type, String name, Supplier<Throwable> failure) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getName().equals("next")) {
                return proxy;
            }
            if (failing.get() && method.getName().equals(name)) {
                throw failure.get();
            }
            try {
                return method.invoke(socket.eventLoop(), arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }

    @SuppressWarnings("deprecation") // the only way to make the tasks of one handler fail
    private KcpChannel connect(String failingMethod, Supplier<Throwable> failure) {
        KcpHandler handler = new KcpClientHandlerBuilder().closeWithSession(true).build();
        socket.pipeline().addLast(failing(EventExecutor.class, failingMethod, failure), handler);
        socket.runPendingTasks();
        ChannelFuture connected = handler.connect(PEER, 7, new SessionRecorder());
        socket.runPendingTasks();
        KcpChannel session = (KcpChannel) connected.channel();
        assertThat(session.isActive()).isTrue();
        session.config().setLingerMs(0);
        return session;
    }

    @Test
    void clientSocketClosesIfTheCloseTaskCannotBeAllocated() {
        KcpChannel session = connect("execute", () -> new OutOfMemoryError("no memory for a task, thrown by the test"));
        failing.set(true);
        session.close();
        assertThat(session.isOpen()).isFalse();
        assertThat(socket.isOpen()).isFalse();
    }

    @Test
    void pendingAcknowledgementFailsIfTheHandlerThrows() {
        KcpChannel session = connect("execute", () -> new RejectedExecutionException("thrown by the test"));
        session.writeAndFlush(session.alloc().buffer().writeByte('x'));
        ChannelFuture acknowledged = session.acknowledged();
        assertThat(acknowledged.isDone()).isFalse();
        failing.set(true);
        session.close();
        assertThat(session.isOpen()).isFalse();
        assertThat(acknowledged.isDone()).isTrue();
        socket.finishAndReleaseAll();
    }

    /** The first attempt to close fails when Netty submits the task that fires {@code channelInactive}. */
    @Test
    void closeOfALingeringSessionCompletesAfterAFailedAttempt() {
        DefaultKcpChannel session = (DefaultKcpChannel) connect("execute", () -> new OutOfMemoryError("not used"));
        session.config().setLingerMs(5_000);
        session.writeAndFlush(session.alloc().buffer().writeByte('x'));
        ChannelFuture closed = session.close();
        assertThat(closed.isDone()).as("lingers").isFalse();
        session.setHomeLoop(failing(EventLoop.class, "execute", () -> new OutOfMemoryError("no memory for a task, thrown by the test")));
        failing.set(true);
        session.closeWith(KcpCloseReason.IDLE);
        failing.set(false);
        assertThat(session.isOpen()).isFalse();
        socket.runPendingTasks();
        assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.IDLE));
        socket.finishAndReleaseAll();
    }

    /** The attempt to linger fails when Netty submits the task that fires {@code channelWritabilityChanged}. */
    @Test
    void closeCompletesIfTheLingerTimeCannotBegin() {
        DefaultKcpChannel session = (DefaultKcpChannel) connect("execute", () -> new OutOfMemoryError("not used"));
        session.config().setLingerMs(5_000);
        session.writeAndFlush(session.alloc().buffer().writeByte('x'));
        session.setHomeLoop(failing(EventLoop.class, "execute", () -> new OutOfMemoryError("no memory for a task, thrown by the test")));
        failing.set(true);
        ChannelFuture closed = session.close();
        failing.set(false);
        socket.runPendingTasks();
        assertThat(session.isOpen()).isFalse();
        assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class,
            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.LINGER_EXPIRED));
        socket.finishAndReleaseAll();
    }

    @Test
    void failedDrainOfASocketClosesThatSocket() {
        EventLoop loop = failing(EventLoop.class, "newPromise", () -> new OutOfMemoryError("no memory for a promise, thrown by the test"));
        Channel onFailingLoop = (Channel) Proxy.newProxyInstance(Channel.class.getClassLoader(), new Class<?>[] {Channel.class},
            (proxy, method, arguments) -> method.getName().equals("eventLoop") ? loop : method.invoke(socket, arguments));
        AtomicBoolean closed = new AtomicBoolean();
        failing.set(true);
        new ServerDrain(socket.eventLoop(), List.of(onFailingLoop), () -> closed.set(true))
            .start(List.of((DefaultKcpHandler) new KcpHandlerBuilder(EchoHandler.INSTANCE).build()));
        socket.runPendingTasks();
        assertThat(socket.isOpen()).isFalse();
        assertThat(closed).isTrue();
    }
}
