package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.test.ChildProcess;
import io.kcp.test.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Gateway with Redis in a separate JVM. It keeps its ports when it is restarted. */
final class GatewayProcess implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final int TIMEOUT_MS = 2_000;
    private static final int OK = 200;
    private static final int ENDED_BY_SIGTERM = 128 + 15;

    private final String name;
    private final Path directory;
    private final String redis;
    private final int kcpPort = FreePort.find();
    private final int httpPort = FreePort.find();
    private ChildProcess process;

    GatewayProcess(String name, Path directory, String redis) throws IOException {
        this.name = name;
        this.directory = directory;
        this.redis = redis;
        start();
    }

    /** Starts or restarts the gateway. */
    void start() throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(), "io.kcp.examples.cluster.ClusterApplication", "--arena.gateway=" + name,
            "--arena.history=20000", "--spring.data.redis.url=" + redis, "--kcp.server.address=127.0.0.1",
            "--kcp.server.port=" + kcpPort, "--kcp.server.keepalive=10s", "--kcp.server.linger=3s",
            "--server.address=127.0.0.1", "--server.port=" + httpPort));
        process = ChildProcess.startBounded(command);
    }

    /** Restarts the gateway if it has been killed or has exited. */
    void startIfEnded() throws IOException {
        if (!process.isAlive()) {
            start();
        }
    }

    /** Returns the class path without the test classes. */
    private static String classPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Stream.of(all.split(File.pathSeparator)).filter(entry -> !entry.endsWith("test-classes"))
            .collect(Collectors.joining(File.pathSeparator));
    }

    InetSocketAddress kcpAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), kcpPort);
    }

    /** Waits until the readiness state of the gateway is up. */
    void awaitReady() {
        await(name + " is ready").atMost(START).ignoreExceptions()
            .untilAsserted(() -> assertThat(isReady()).as(process.output()).isTrue());
    }

    /** Queries the readiness probe that a load balancer uses. */
    boolean isReady() throws IOException {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create("http://127.0.0.1:" + httpPort + "/actuator/health/readiness").toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        try {
            return connection.getResponseCode() == OK;
        } finally {
            connection.disconnect();
        }
    }

    /** Kills the gateway with SIGKILL. */
    void kill() {
        process.close();
    }

    /** Suspends the process with SIGSTOP, which peers cannot detect immediately. */
    void hang() throws IOException {
        process.signalChildren("STOP");
    }

    /** Resumes a suspended process. */
    void goOn() throws IOException {
        process.signalChildren("CONT");
    }

    /** Sends SIGTERM, waits until the gateway has drained and exited, and returns the duration. */
    Duration stop() throws IOException, InterruptedException {
        long start = System.nanoTime();
        process.signalChildren("TERM");
        int exitCode = process.exitCode(STOP.toSeconds());
        assertThat(exitCode).as("exit code of %s; 137 says that it was killed: %s", name, process.output()).isEqualTo(ENDED_BY_SIGTERM);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Returns the log of the gateway. */
    String output() {
        return process.output();
    }

    @Override
    public void close() {
        process.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
