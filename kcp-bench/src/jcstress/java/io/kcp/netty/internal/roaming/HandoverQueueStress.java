package io.kcp.netty.internal.roaming;

import io.kcp.netty.internal.roaming.HandoverQueue.Handed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramPacket;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two sockets pass datagrams to the event loop of a third. */
public final class HandoverQueueStress {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 1);

    private HandoverQueueStress() {
    }

    /** Returns an event loop that passes each task to the given consumer. */
    private static EventLoop loop(Consumer<Runnable> tasks) {
        return (EventLoop) Proxy.newProxyInstance(HandoverQueueStress.class.getClassLoader(), new Class<?>[] {EventLoop.class},
            (proxy, method, arguments) -> {
                tasks.accept((Runnable) arguments[0]);
                return null;
            });
    }

    /** The event loop drains the queue while datagrams are added. No datagram may remain in the queue without a task. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both datagrams are delivered.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A datagram is lost or delivered twice.")
    @State
    public static class Draining {

        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private int delivered;
        private final HandoverQueue queue = new HandoverQueue(loop(tasks::add), handed -> delivered++, () -> { });
        private final Handed handed =
            new Handed(new DatagramPacket(Unpooled.EMPTY_BUFFER, ADDRESS, ADDRESS), null, 0);

        /** One socket. */
        @Actor
        public void first() {
            queue.offer(handed, true);
        }

        /** Another socket. */
        @Actor
        public void second() {
            queue.offer(handed, true);
        }

        /** The event loop. */
        @Actor
        public void drain() {
            runTasks();
        }

        /** The event loop, after all datagrams have been added. */
        @Arbiter
        public void end(I_Result result) {
            runTasks();
            result.r1 = delivered;
        }

        private void runTasks() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    /** The event loop has terminated and rejects tasks. All datagrams must be released. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Both datagrams are released.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A datagram leaks.")
    @State
    public static class Terminated {

        private final HandoverQueue queue = new HandoverQueue(loop(task -> {
            throw new RejectedExecutionException();
        }), handed -> { }, () -> { });
        private final ByteBuf one = Unpooled.buffer(1);
        private final ByteBuf two = Unpooled.buffer(1);

        /** One socket. */
        @Actor
        public void first() {
            queue.offer(new Handed(new DatagramPacket(one, ADDRESS, ADDRESS), null, 0), true);
        }

        /** Another socket. */
        @Actor
        public void second() {
            queue.offer(new Handed(new DatagramPacket(two, ADDRESS, ADDRESS), null, 0), true);
        }

        /** Counts the references that remain. */
        @Arbiter
        public void end(I_Result result) {
            result.r1 = one.refCnt() + two.refCnt();
        }
    }
}
