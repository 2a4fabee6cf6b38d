package io.kcp.bench;

import io.kcp.bench.rig.ProcessStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Opens sessions at a constant rate, lets them exchange messages, and ends them in all ways of {@link SoakEnding}, while other datagrams
 * arrive. Servers without a cipher, with an AEAD cipher and with FEC run in this process and listen on the loopback interface.
 *
 * <p>The sessions are opened in rounds. At the end of each round, the program waits until all sessions of clients and servers have closed,
 * and then measures the heap, the buffer memory, the threads and the files. The warm-up is not measured. If the heap has grown, all rounds
 * are repeated. The exit code is 1 if a buffer leaks, a measured value grows (the heap also in the repeated rounds), no session ends in
 * one of the ways, a session fails, or timeouts end more than one percent of the sessions. If the process was stopped for a while,
 * timeouts may end all sessions of that round.
 *
 * <pre>
 * src/build/soak.sh          runs one minute of this program
 * src/build/soak.sh 1800
 * </pre>
 */
@Command(name = "soak", description = "Opens and closes sessions in all ways, and checks that nothing leaks.",
    mixinStandardHelpOptions = true)
final class Soak implements Callable<Integer> {

    private static final int SERVER_LOOPS = 2;
    private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration SETTLE_POLL = Duration.ofMillis(100);
    /** A delay of the main thread that shows that the process was stopped or starved. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(800);
    private static final int KEPT_BYTES = 100_000;
    /** Buffers that are allocated after the last garbage collection, because the leak detector reports leaks on allocation. */
    private static final int DETECTING_BUFFERS = 1_000;

    @Option(names = "--seconds", defaultValue = "60",
        description = "time in which sessions are opened after the warm-up (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "30", description = "time of the first round, which is not measured (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--round", defaultValue = "15", description = "time of each further round (${DEFAULT-VALUE})")
    double roundSeconds;

    @Option(names = "--rate", defaultValue = "50", description = "sessions per second (${DEFAULT-VALUE})")
    double rate;

    @Option(names = "--idle-timeout-ms", defaultValue = "8000", description = "idle timeout of the servers (${DEFAULT-VALUE})")
    int idleTimeoutMs;

    @Option(names = "--seed", defaultValue = "1", description = "seed of messages and garbage (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "--transport", description = "EPOLL, IO_URING, KQUEUE or NIO (the best one available)")
    KcpTransport transport = KcpTransport.best();

    @Option(names = "--max-timeouts", defaultValue = "1",
        description = "percentage of sessions that may end because of a timeout, as on a busy machine (${DEFAULT-VALUE})")
    double maxTimeoutPercent;

    @Option(names = "--lose-every", paramLabel = "N", hidden = true, description = "loses a buffer at every Nth session, to test the check")
    int loseEvery;

    @Option(names = "--keep-every", paramLabel = "N", hidden = true, description = "keeps memory at every Nth session, to test the check")
    int keepEvery;

    private final List<byte[]> kept = new ArrayList<>();
    private final Queue<String> leaks = new ConcurrentLinkedQueue<>();
    private final SoakOutcomes outcomes = new SoakOutcomes();
    private final List<SoakServer> servers = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private long sessions;
    private long pausedNs;
    private int excused;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Soak()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((resourceType, records) -> leaks.add(resourceType + ": " + records));
        EventLoopGroup serverGroup = new MultiThreadIoEventLoopGroup(SERVER_LOOPS, transport.ioHandlerFactory());
        EventLoopGroup clientGroup = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        try (SoakGarbage garbage = new SoakGarbage(seed)) {
            servers.add(new SoakServer(serverGroup, new WireLayers(), false, idleTimeoutMs));
            servers.add(new SoakServer(serverGroup, WireLayers.of("aes-128-gcm", null), true, idleTimeoutMs));
            servers.add(new SoakServer(serverGroup, WireLayers.of("aes-128", "10:3"), false, idleTimeoutMs));
            report(run(clientGroup, garbage), garbage);
            servers.forEach(SoakServer::close);
        } finally {
            shutDown(clientGroup);
            shutDown(serverGroup);
        }
        detectLeaks();
        leaks.forEach(leak -> failures.add("leaked " + leak));
        failures.forEach(failure -> System.out.println("FAILED: " + failure));
        System.out.println(failures.isEmpty() ? "Nothing leaked." : failures.size() + " requirements were not met.");
        return failures.isEmpty() ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private SoakSamples run(EventLoopGroup clientGroup, SoakGarbage garbage) throws IOException, InterruptedException {
        round(warmupSeconds, clientGroup, garbage);
        SoakSamples samples = new SoakSamples(sample("warm-up"));
        measure(samples, clientGroup, garbage);
        if (!samples.heapGrows()) {
            return samples;
        }
        // A class that is loaded late, or a cache that is filled once, also looks like growth, but a leak continues.
        System.out.println("The heap grows by " + samples.heapGrowth() + ". The rounds are repeated to see whether it continues.");
        SoakSamples continued = samples.continued();
        measure(continued, clientGroup, garbage);
        return continued;
    }

    private void measure(SoakSamples samples, EventLoopGroup clientGroup, SoakGarbage garbage) throws IOException, InterruptedException {
        int rounds = (int) Math.max(1, Math.round(seconds / roundSeconds));
        for (int i = 1; i <= rounds; i++) {
            round(seconds / rounds, clientGroup, garbage);
            samples.add(sample(i + "/" + rounds));
        }
    }

    private SoakSamples.Sample sample(String round) {
        SoakSamples.Sample sample = SoakSamples.Sample.take(sessions);
        LocalTime now = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
        System.out.printf(Locale.ROOT, "%s  %-7s %s, %d leaks, stopped for %.1f s%n", now, round, sample, leaks.size(), pausedNs / 1e9);
        return sample;
    }

    /** Opens sessions for some time and waits until all of them have closed. */
    private void round(double roundLength, EventLoopGroup clientGroup, SoakGarbage garbage) throws IOException, InterruptedException {
        long pausedBefore = pausedNs;
        int timeoutsBefore = outcomes.timeouts();
        long periodNs = (long) (TimeUnit.SECONDS.toNanos(1) / rate);
        long count = Math.round(roundLength * rate);
        long dueNs = System.nanoTime();
        for (long i = 0; i < count; i++) {
            open(clientGroup, garbage);
            garbage.sendToOneOf(servers);
            dueNs = await(dueNs + periodNs);
        }
        long deadlineNs = System.nanoTime() + SETTLE_TIMEOUT.toNanos();
        while (openSessions() > 0 && System.nanoTime() < deadlineNs) {
            await(System.nanoTime() + SETTLE_POLL.toNanos());
        }
        if (openSessions() > 0) {
            failures.add(outcomes.open() + " clients and " + serverSessions() + " sessions of servers did not close");
        }
        if (pausedNs > pausedBefore) {
            excused += outcomes.timeouts() - timeoutsBefore;
        }
    }

    /** Waits until the given time. Returns that time, or a later one if the process was stopped meanwhile. */
    private long await(long dueNs) throws InterruptedException {
        for (long waitNs = dueNs - System.nanoTime(); waitNs > 0; waitNs = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(waitNs);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        long lateNs = System.nanoTime() - dueNs;
        if (lateNs < PAUSE_NS) {
            return dueNs;
        }
        pausedNs += lateNs;
        return dueNs + lateNs;
    }

    private long openSessions() {
        return outcomes.open() + serverSessions();
    }

    private long serverSessions() {
        return servers.stream().mapToLong(server -> server.stats().activeSessions()).sum();
    }

    private void open(EventLoopGroup clientGroup, SoakGarbage garbage) {
        SoakEnding[] endings = SoakEnding.values();
        SoakEnding ending = endings[(int) (sessions % endings.length)];
        SoakServer server = servers.get((int) (sessions / endings.length % servers.size()));
        plantLeaks();
        outcomes.opened();
        long sessionSeed = seed + sessions++;
        if (!ending.rebinds()) {
            connect(clientGroup, server, server.address(), new SoakSession(ending, sessionSeed, null, null));
            return;
        }
        SoakServer roaming = servers.stream().filter(SoakServer::roams).findFirst().orElseThrow();
        EventLoop loop = clientGroup.next();
        SoakNat nat = new SoakNat(loop, transport, roaming.address(), garbage::record);
        SoakSession session = new SoakSession(ending, sessionSeed, nat, loop);
        session.closed().whenComplete((reason, failure) -> loop.execute(nat::close));
        loop.execute(() -> nat.open(address -> connect(clientGroup, roaming, address, session), failure -> {
            nat.close();
            outcomes.ended(ending, null, failure);
        }));
    }

    private void plantLeaks() {
        if (loseEvery > 0 && sessions % loseEvery == 0) {
            ByteBufAllocator.DEFAULT.directBuffer(1);
        }
        if (keepEvery > 0 && sessions % keepEvery == 0) {
            kept.add(new byte[KEPT_BYTES]);
        }
    }

    private void connect(EventLoopGroup clientGroup, SoakServer server, InetSocketAddress address, SoakSession session) {
        session.closed().whenComplete((reason, failure) -> outcomes.ended(session.ending(), reason, failure));
        KcpFuture<KcpChannel> connected = server.newClient(clientGroup, idleTimeoutMs).handler(session).connect(address);
        connected.addListener((ChannelFutureListener) session::onConnect);
    }

    private void report(SoakSamples samples, SoakGarbage garbage) {
        failures.addAll(samples.failures());
        int timeouts = outcomes.timeouts() - excused;
        if (timeouts > sessions * maxTimeoutPercent / 100) {
            failures.add("timeouts ended " + timeouts + " sessions, the first of them " + outcomes.firstTimeout());
        }
        if (outcomes.wrong() > 0) {
            failures.add(outcomes.wrong() + " sessions ended in a wrong way, the first of them " + outcomes.firstWrong());
        }
        outcomes.missing().forEach(ending -> failures.add("no session ended as " + ending));
        System.out.print(outcomes);
        servers.forEach(server -> System.out.println(server + ": " + server.stats().openedSessions() + " sessions, closed "
            + server.stats().closed() + ", dropped " + server.stats().dropped()));
        System.out.printf(Locale.ROOT, "%d sessions, %d datagrams of garbage, %d timeouts, %d wrong ends, heap %s%n",
            sessions, garbage.sent(), timeouts, outcomes.wrong(), samples.heapGrowth());
        if (pausedNs > 0) {
            System.out.printf(Locale.ROOT, "The process was stopped for %.1f s; timeouts ended %d sessions of these rounds.%n",
                pausedNs / 1e9, excused);
        }
    }

    /** Collects lost buffers, and lets the leak detector report them. */
    private static void detectLeaks() {
        ProcessStats.heapAfterCollectionBytes();
        for (int i = 0; i < DETECTING_BUFFERS; i++) {
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }

    private static void shutDown(EventLoopGroup group) {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
