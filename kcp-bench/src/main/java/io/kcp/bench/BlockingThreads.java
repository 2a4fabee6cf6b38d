package io.kcp.bench;

import io.kcp.bench.rig.LoadMeter;
import io.kcp.bench.rig.Termination;
import io.kcp.netty.blocking.KcpSocket;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs code that uses blocking sockets, in virtual threads if the JDK has them. */
final class BlockingThreads {

    private static final int READ_BYTES = 65_536;
    private static final Executor THREADS = newExecutor();

    /** A task that reads or writes a blocking socket. */
    interface SocketTask {
        void run() throws IOException, InterruptedException;
    }

    private BlockingThreads() {
    }

    private static Executor newExecutor() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException tooOld) {
            return Executors.newCachedThreadPool(new DefaultThreadFactory("blocking", true));
        }
    }

    /** Runs a task in a thread of its own and reports its failure. */
    static void start(SocketTask task, Termination termination) {
        THREADS.execute(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException failure) {
                termination.fail(failure);
            }
        });
    }

    /** Sends all received bytes back to the peer until the session closes. */
    static void echo(KcpSocket socket, LoadMeter meter) {
        THREADS.execute(() -> {
            byte[] buffer = new byte[READ_BYTES];
            try (socket) {
                while (true) {
                    int bytes = socket.getInputStream().read(buffer);
                    meter.received(bytes, 1);
                    socket.getOutputStream().write(buffer, 0, bytes);
                    meter.sent(bytes, 1);
                }
            } catch (IOException closed) {
                // Every session ends with a failure, because clients exit without closing their sessions.
            }
        });
    }
}
