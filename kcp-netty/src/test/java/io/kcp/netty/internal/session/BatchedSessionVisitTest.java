package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Promise;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatchedSessionVisitTest {

    private static final int SESSIONS = 500;

    /** The promise must complete, because the drain of a server waits for it. */
    @Test
    void sweepThatCannotContinueFailsItsPromise() {
        EmbeddedChannel channel = new EmbeddedChannel();
        OutOfMemoryError shortage = new OutOfMemoryError("no memory for a task, thrown by the test");
        EventLoop loop = (EventLoop) Proxy.newProxyInstance(EventLoop.class.getClassLoader(), new Class<?>[] {EventLoop.class},
            (proxy, method, arguments) -> {
                throw shortage;
            });
        Promise<Void> promise = channel.eventLoop().newPromise();
        List<TestSession> sessions = Collections.nCopies(SESSIONS, null);
        new BatchedSessionVisit<>(loop, sessions, session -> {
        }, promise, () -> promise.trySuccess(null)).run();
        assertThat(promise.cause()).isSameAs(shortage);
        channel.finish();
    }
}
