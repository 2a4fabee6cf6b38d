package io.kcp.bench.experiment;

import io.kcp.bench.OwnedProcess;
import io.kcp.bench.rig.ProcessStats;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Server and client of one tunnel in separate processes, and the target of the tunnel in this process. The target either writes to each
 * connection continuously, or writes 1,000 bytes and keeps the connection idle.
 */
final class TunnelRun implements AutoCloseable {

    private static final int BLOCK_BYTES = 1 << 18;
    private static final int GREETING_BYTES = 1_000;
    private static final int BACKLOG = 2_000;
    private static final int ATTEMPT_MS = 1_000;
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration START = Duration.ofSeconds(30);

    private final ServerSocket target = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final boolean endless;
    /** Prevents the garbage collector from closing the idle connections of the target. */
    private final List<Socket> idle = new CopyOnWriteArrayList<>();
    /** Contains the output of both processes. */
    private final Path log = Files.createTempFile("tunnel", ".log");
    private final List<OwnedProcess> processes = new ArrayList<>();
    private final int localPort;

    TunnelRun(TunnelPeer peer, TunnelSettings settings, boolean endless) throws IOException {
        this.endless = endless;
        threads.execute(this::acceptConnections);
        int udpPort;
        try (DatagramSocket unused = new DatagramSocket(0, InetAddress.getLoopbackAddress());
             ServerSocket alsoUnused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            udpPort = unused.getLocalPort();
            localPort = alsoUnused.getLocalPort();
        }
        start(peer.server(), settings, "--listen", "127.0.0.1:" + udpPort, "--target", "127.0.0.1:" + target.getLocalPort());
        start(peer.client(), settings, "--localaddr", "127.0.0.1:" + localPort, "--remoteaddr", "127.0.0.1:" + udpPort);
    }

    private void start(List<String> program, TunnelSettings settings, String... addresses) throws IOException {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(addresses));
        command.addAll(settings.options());
        processes.add(new OwnedProcess(new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start()));
    }

    private void acceptConnections() {
        byte[] block = new byte[BLOCK_BYTES];
        new SplittableRandom(1).nextBytes(block);
        try {
            while (true) {
                Socket connection = target.accept();
                if (endless) {
                    threads.execute(() -> writeWithoutEnd(connection, block));
                } else {
                    idle.add(connection);
                    connection.getOutputStream().write(block, 0, GREETING_BYTES);
                }
            }
        } catch (IOException closed) {
            // The run closed the server socket.
        }
    }

    private static void writeWithoutEnd(Socket connection, byte[] block) {
        try (connection; OutputStream out = connection.getOutputStream()) {
            while (true) {
                out.write(block);
            }
        } catch (IOException closed) {
            // The reader closed the connection.
        }
    }

    /** Measures the throughput from the target through the tunnel after a warm-up. */
    Map<Metric, Double> measure(double warmupSeconds, double seconds) throws IOException {
        try (Socket connection = connect()) {
            byte[] block = new byte[BLOCK_BYTES];
            InputStream in = connection.getInputStream();
            read(in, block, warmupSeconds);
            double cpuMs = cpuMs();
            long startNs = System.nanoTime();
            double megabytes = read(in, block, seconds) / 1e6;
            double elapsedSeconds = (System.nanoTime() - startNs) / 1e9;
            return Map.of(Metric.MB_S, megabytes / elapsedSeconds, Metric.CPU_MS_MB, (cpuMs() - cpuMs) / megabytes);
        }
    }

    private static long read(InputStream in, byte[] block, double seconds) throws IOException {
        long endNs = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        long bytes = 0;
        while (System.nanoTime() < endNs) {
            int count = in.read(block);
            if (count < 0) {
                throw new IllegalStateException("the tunnel closed the connection");
            }
            bytes += count;
        }
        return bytes;
    }

    /** Opens a connection through the tunnel and returns it after the first bytes of the target have arrived. */
    Socket connect() throws IOException {
        long deadlineNs = System.nanoTime() + START.toNanos();
        while (true) {
            Socket connection = new Socket();
            try {
                connection.setSoTimeout(ATTEMPT_MS);
                connection.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), localPort));
                if (connection.getInputStream().read() >= 0) {
                    connection.setSoTimeout((int) START.toMillis());
                    return connection;
                }
            } catch (SocketTimeoutException | SocketException notReady) {
                // The programs are still starting; the loop retries until the deadline.
            }
            connection.close();
            LockSupport.parkNanos(RETRY_NS);
            if (System.nanoTime() > deadlineNs || !processes().allMatch(Process::isAlive)) {
                throw new IllegalStateException("the tunnel does not work; its output was " + Files.readString(log));
            }
        }
    }

    private Stream<Process> processes() {
        return processes.stream().map(OwnedProcess::process);
    }

    private double cpuMs() {
        return processes().mapToLong(process -> process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos()).sum() / 1e6;
    }

    /** Returns the resident set size of both processes. */
    long residentBytes() {
        return processes().mapToLong(process -> ProcessStats.residentBytes(Long.toString(process.pid()))).sum();
    }

    @Override
    public void close() throws IOException {
        processes.forEach(OwnedProcess::close);
        target.close();
        Files.delete(log);
        threads.shutdownNow();
    }
}
