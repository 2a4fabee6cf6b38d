package io.kcp.tools.tunnel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP server on a loopback port, which serves each connection with a thread of its own. */
final class Target implements AutoCloseable {

    /** Serves a connection, which is closed when the method returns. */
    @FunctionalInterface
    interface Service {

        void serve(Socket connection) throws Exception;
    }

    private final ServerSocket listener;
    private final AtomicInteger accepted = new AtomicInteger();

    private Target(Service service) throws IOException {
        listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (true) {
                Socket connection = listener.accept();
                accepted.incrementAndGet();
                daemon(() -> {
                    try (connection) {
                        service.serve(connection);
                    }
                });
            }
        });
    }

    static Target start(Service service) throws IOException {
        return new Target(service);
    }

    /** Starts a server that sends back what it receives, and closes after the end of the input. */
    static Target echo() throws IOException {
        return start(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    int accepted() {
        return accepted.get();
    }

    /** A task that may fail. */
    @FunctionalInterface
    interface Task {

        void run() throws Exception;
    }

    /** Runs a task on a new thread, which ends when the task fails. */
    static void daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception ended) {
                // The connection or the server was closed.
            }
        }, "target");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
