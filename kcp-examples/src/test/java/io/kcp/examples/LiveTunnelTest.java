package io.kcp.examples;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fetches 20 MB with {@code curl} through a tunnel between this library and kcptun, in both roles. By default a small part of the matrix
 * is run, in which some cells have 50 simultaneous fetches or a link that loses 10 % in each direction. {@code -Dkcp.matrix=full} runs
 * the whole matrix and writes the file {@code target/kcptun-matrix.md}.
 *
 * <p>Two cells run at the same time, and the restarts run beside them, because programs that wait for a timeout need no processor.
 */
@Tag("interop")
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveTunnelTest {

    private static final int FETCHES = 50;
    private static final int BYTES_OF_MANY = 2_000_000;
    private static final int UPLOAD_BYTES = 2_000_000;
    private static final int LIMIT_SECONDS = 60;
    private static final int ATTEMPT_SECONDS = 3;
    private static final Duration RECOVERY = Duration.ofSeconds(90);
    private static final int PORTS = 4;
    private static final LinkConditions LOSSY = new LinkConditions(10, 10, 0, 0, 0);
    private static final boolean FULL = "full".equals(System.getProperty("kcp.matrix"));

    @TempDir
    private static Path directory;

    private static final ExecutorService CELLS = Executors.newFixedThreadPool(2);
    private static final ExecutorService RESTARTS = Executors.newCachedThreadPool();
    private static final Map<TestCase, Future<Double>> RESULTS = new LinkedHashMap<>();
    private static final Map<Restart, Future<Double>> RECOVERIES = new EnumMap<>(Restart.class);
    private static final TunnelTarget TARGET = new TunnelTarget();

    /** Load and link of a cell. */
    enum Load {
        ONE_FETCH, MANY_FETCHES, LOSSY_LINK
    }

    /** A cell of the matrix with its load. */
    record TestCase(TunnelCell cell, Load load) {

        /** Returns the number of UDP ports of the server. Each lossy link has only one port. */
        int ports() {
            return cell.peer().supportsPortRanges() && load != Load.LOSSY_LINK ? PORTS : 1;
        }

        @Override
        public String toString() {
            return cell + switch (load) {
                case ONE_FETCH -> "";
                case MANY_FETCHES -> ", " + FETCHES + " fetches";
                case LOSSY_LINK -> ", 10 % loss each way";
            };
        }
    }

    /** Two programs, one of which is restarted. */
    enum Restart {
        OUR_CLIENT(TunnelProgram.CURRENT, TunnelProgram.OURS),
        OUR_SERVER(TunnelProgram.OURS, TunnelProgram.DEBIAN);

        private final TunnelProgram server;
        private final TunnelProgram client;

        Restart(TunnelProgram server, TunnelProgram client) {
            this.server = server;
            this.client = client;
        }
    }

    @BeforeAll
    static void startAll() throws IOException {
        assumeTrue(TunnelProgram.isOnPath("curl"), "curl is not installed; run src/interop/install.sh");
        for (Restart restart : Restart.values()) {
            if (restart.server.isInstalled() && restart.client.isInstalled()) {
                RECOVERIES.put(restart, RESTARTS.submit(() -> recover(restart)));
            }
        }
        testCases().filter(test -> test.cell.peer().isInstalled()).forEach(test -> RESULTS.put(test, CELLS.submit(() -> transfer(test))));
    }

    @AfterAll
    static void stopAll() throws IOException {
        CELLS.shutdownNow();
        RESTARTS.shutdownNow();
        TARGET.close();
        if (FULL) {
            Files.writeString(Path.of("target", "kcptun-matrix.md"), TunnelTable.of(outcomes()));
        }
    }

    private static Map<TunnelCell, Boolean> outcomes() {
        Map<TunnelCell, Boolean> outcomes = new LinkedHashMap<>();
        RESULTS.forEach((test, result) -> outcomes.put(test.cell, result.isDone() && !failed(result)));
        return outcomes;
    }

    private static boolean failed(Future<?> result) {
        try {
            result.get();
            return false;
        } catch (ExecutionException | InterruptedException failed) {
            return true;
        }
    }

    static Stream<TestCase> testCases() {
        if (FULL) {
            return TunnelCell.all().stream().map(cell -> new TestCase(cell, Load.ONE_FETCH));
        }
        List<TestCase> tests = new ArrayList<>();
        for (TunnelCell cell : TunnelCell.cover()) {
            tests.add(new TestCase(cell, switch (tests.size()) {
                case 0, 1, 2 -> Load.LOSSY_LINK;
                case 3, 4 -> Load.MANY_FETCHES;
                default -> Load.ONE_FETCH;
            }));
        }
        return tests.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("testCases")
    void curlTransfersTheSameBytes(TestCase test) throws Exception {
        Future<Double> result = RESULTS.get(test);
        assumeTrue(result != null, test.cell.peer() + " is not installed; run src/interop/install.sh");
        System.out.printf("  %-95s %6.1f s%n", test, await(result));
    }

    /** After one program is killed and started again, new connections through the tunnel work. */
    @ParameterizedTest
    @EnumSource
    void newConnectionsWorkAfterARestart(Restart restart) throws Exception {
        Future<Double> result = RECOVERIES.get(restart);
        assumeTrue(result != null, "kcptun is not installed; run src/interop/install.sh");
        System.out.printf("  new connections worked %.1f s after the start of a new server: %s%n", await(result), restart);
    }

    private static double await(Future<Double> result) throws Exception {
        try {
            return result.get();
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause().getMessage(), failed.getCause());
        }
    }

    /** Runs one cell and returns the seconds that it took. */
    private static double transfer(TestCase test) throws IOException, InterruptedException {
        long startNanos = System.nanoTime();
        TunnelCell cell = test.cell;
        Path files = Files.createTempDirectory(directory, "cell");
        try (TunnelProcesses tunnel = new TunnelProcesses(cell.peerIsServer() ? cell.peer() : TunnelProgram.OURS,
            cell.peerIsServer() ? TunnelProgram.OURS : cell.peer(), cell.options(), TARGET.port(), test.ports(),
            test.load == Load.LOSSY_LINK ? LOSSY : null)) {
            if (test.load == Load.MANY_FETCHES) {
                tunnel.fetch(FETCHES, BYTES_OF_MANY, files, LIMIT_SECONDS);
            } else {
                tunnel.fetch(1, TunnelTarget.CONTENT_BYTES, files, LIMIT_SECONDS);
            }
            Path upload = files.resolve("upload");
            Files.write(upload, TunnelTarget.content(UPLOAD_BYTES));
            tunnel.upload(upload, LIMIT_SECONDS);
        }
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** Restarts both programs, the server last. Returns the seconds until a new connection worked after the restart of the server. */
    private static double recover(Restart restart) throws IOException, InterruptedException {
        Path files = Files.createTempDirectory(directory, "restart");
        try (TunnelProcesses tunnel = new TunnelProcesses(restart.server, restart.client, List.of("--smuxver", "2", "--quiet"),
            TARGET.port(), 1, null)) {
            tunnel.fetch(1, UPLOAD_BYTES, files, LIMIT_SECONDS);
            tunnel.killClient();
            tunnel.startClient();
            tunnel.fetch(1, UPLOAD_BYTES, files, LIMIT_SECONDS);
            tunnel.killServer();
            tunnel.startServer();
            long startNanos = System.nanoTime();
            // The client does not notice the restart before its smux timeout of 30 to 60 s, because KCP has no connection reset.
            Awaitility.await().atMost(RECOVERY).untilAsserted(() -> tunnel.fetch(1, UPLOAD_BYTES, files, ATTEMPT_SECONDS));
            return (System.nanoTime() - startNanos) / 1e9;
        }
    }
}
