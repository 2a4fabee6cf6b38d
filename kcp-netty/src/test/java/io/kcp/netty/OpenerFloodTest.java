package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.test.ChildProcess;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The attack of issue 13, point 19: 10,000 valid first datagrams per second against a server with 256 MB of heap and 128 MB of direct
 * memory. Legitimate sessions keep working, new sessions open, and no event loop terminates.
 */
@Timeout(600)
@Tag("alone")
class OpenerFloodTest {

    private static final int FLOOD_PER_SECOND = 10_000;
    private static final int FLOOD_DATAGRAMS = Integer.getInteger("kcp.flood.datagrams", 25_000);
    private static final int SESSIONS = 20;
    private static final int INTERVAL_MS = 50;
    private static final int ATTEMPT_MS = 2_000;
    private static final int PATIENCE_S = 60;
    /**
     * With eviction only, a datagram opens a session by chance, and the chance is the smaller the less processor time the server has. On a
     * machine that also compiles other modules, one minute was not always enough.
     */
    private static final int OPENING_PATIENCE_S = 180;
    private static final String LEGITIMATE = "127.0.0.2";

    /** A session that sends a timestamp every {@value #INTERVAL_MS} ms and measures the round-trip time of its echo. */
    private static final class Player extends SimpleChannelInboundHandler<ByteBuf> {

        private final List<Long> roundTripsMs = Collections.synchronizedList(new ArrayList<>());
        private final CountDownLatch answered = new CountDownLatch(1);
        private volatile long lastEchoNanos;
        private volatile boolean closed;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.executor().scheduleAtFixedRate(
                () -> ctx.writeAndFlush(ctx.alloc().buffer(Long.BYTES).writeLong(System.nanoTime()), ctx.voidPromise()), 0, INTERVAL_MS,
                TimeUnit.MILLISECONDS);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            lastEchoNanos = System.nanoTime();
            answered.countDown();
            roundTripsMs.add(TimeUnit.NANOSECONDS.toMillis(lastEchoNanos - message.readLong()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            closed = true;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /** The statistics that the server process printed. */
    private record Report(int loops, long active, long max, long opened, int limit, String counts) {

        private static final Pattern FIRST_ARRIVAL = Pattern.compile("FIRST_ARRIVAL=(\\d+)");

        static Report parse(String report) {
            String[] fields = report.split(" ", 6);
            return new Report(Integer.parseInt(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]),
                Integer.parseInt(fields[4]), fields[5]);
        }

        /** Returns the number of sessions that {@code SecondArrivals} admits although their first datagram was not retransmitted. */
        long mistakenForRetransmissions() {
            Matcher refused = FIRST_ARRIVAL.matcher(counts);
            return refused.find() ? Long.parseLong(refused.group(1)) / 100 : 0;
        }
    }

    private static boolean canBind(String address) {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(address, 0))) {
            return socket.isBound();
        } catch (SocketException noSuchAddress) {
            return false;
        }
    }

    private static ChildProcess startServer(boolean evictionOnly) throws IOException {
        List<String> command = new ArrayList<>(List.of(ChildProcess.javaLauncher(), "-Xmx256m", "-XX:MaxDirectMemorySize=128m",
            "-XX:+ExitOnOutOfMemoryError", "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(ChildProcess.checked(FloodedServer.class));
        command.add(evictionOnly ? FloodedServer.EVICTION_ONLY : "defaults");
        return ChildProcess.start(new ProcessBuilder(command));
    }

    private static Report report(ChildProcess server) throws IOException, InterruptedException {
        server.send("report");
        Report report = Report.parse(server.await(FloodedServer.REPORT, PATIENCE_S));
        System.out.println(report);
        return report;
    }

    /** Opens a session. Retries if no response arrives, because the flood may have filled the receive buffer or evicted the session. */
    private static Player open(EventLoopGroup group, InetSocketAddress server, String when) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(OPENING_PATIENCE_S);
        while (System.nanoTime() - deadlineNanos < 0) {
            Player player = new Player();
            KcpBootstrap client = new KcpBootstrap().group(group).localAddress(new InetSocketAddress(LEGITIMATE, 0));
            KcpChannel session = (KcpChannel) Loopback.done(client.handler(player).connect(server)).channel();
            if (player.answered.await(ATTEMPT_MS, TimeUnit.MILLISECONDS)) {
                return player;
            }
            session.config().setLingerMs(0);
            session.close();
        }
        throw new AssertionError("no session opens " + when);
    }

    private static List<Player> open(EventLoopGroup group, InetSocketAddress server, int count, String when) throws InterruptedException {
        List<Player> players = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            players.add(open(group, server, when));
        }
        return players;
    }

    /** Waits until each player has received another echo. A closed session fails the test. */
    private static void awaitEchoes(List<Player> players, String when) throws InterruptedException {
        long begin = System.nanoTime();
        long deadlineNanos = begin + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        for (Player player : players) {
            while (player.lastEchoNanos - begin < 0) {
                assertThat(player.closed).as("%s, session %s is closed", when, players.indexOf(player)).isFalse();
                assertThat(System.nanoTime() - deadlineNanos).as("%s, session %s has no echo", when, players.indexOf(player)).isNegative();
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    private static long[] sortedRoundTrips(List<Player> players) {
        long[] all = players.stream().flatMap(player -> List.copyOf(player.roundTripsMs).stream()).mapToLong(Long::longValue).toArray();
        Arrays.sort(all);
        return all;
    }

    @Test
    void legitimateSessionsContinueAndNewOnesOpen() throws Exception {
        assertLegitimateSessionsContinue(false);
    }

    @Test
    @Tag("slow")
    void legitimateSessionsContinueWithEvictionOnly() throws Exception {
        assertLegitimateSessionsContinue(true);
    }

    private static void assertLegitimateSessionsContinue(boolean evictionOnly) throws Exception {
        assumeTrue(canBind(LEGITIMATE) && canBind("127.0.1.1"), "loopback has one address");
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.NIO.ioHandlerFactory());
        try (ChildProcess process = startServer(evictionOnly)) {
            int port = Integer.parseInt(process.await(FloodedServer.PORT, PATIENCE_S));
            InetSocketAddress server = new InetSocketAddress("127.0.0.1", port);
            List<Player> players = open(group, server, SESSIONS, "before the flood");
            awaitEchoes(players, "before the flood");
            int expected = report(process).limit / (evictionOnly ? 8 : 16);
            // A busy machine opens fewer sessions for each datagram sent.
            flood(group, server, players, List.of("127.0.0.1"), () -> report(process).active >= expected);
            Report oneAddress = report(process);
            // Each player may open its session again, twice at most while the machine is busy.
            assertThat(oneAddress.active)
                .as(evictionOnly ? "sessions of one address and the legitimate ones"
                    : "a quarter of the unvalidated sessions, and the legitimate ones")
                .isBetween((long) expected, expected + 3L * SESSIONS + oneAddress.mistakenForRetransmissions());
            flood(group, server, players, IntStream.rangeClosed(1, 200).mapToObj(i -> "127.0.1." + i).toList(), () -> true);
            Report manyAddresses = report(process);
            assertThat(manyAddresses.limit).isEqualTo(16_384);
            assertThat(manyAddresses.max).as("sessions").isLessThanOrEqualTo(manyAddresses.limit);
            assertThat(manyAddresses.loops).isEqualTo(2);
            assertThat(manyAddresses.counts).contains(evictionOnly ? "EVICTED" : "FIRST_ARRIVAL")
                .doesNotContain("OUT_OF_MEMORY", "SESSION_LIMIT", evictionOnly ? "FIRST_ARRIVAL" : "EVICTED")
                // PEER_FAILED is permitted: a player that gave up an attempt says so when its session opens after all.
                .doesNotContainPattern("(?<!PEER_)FAILED");
            // Round-trip times are printed but not checked, because they depend on how busy the machine is.
            long[] roundTripsMs = sortedRoundTrips(players);
            System.out.println("p50 " + roundTripsMs[roundTripsMs.length / 2] + " ms, p99 "
                + roundTripsMs[roundTripsMs.length * 99 / 100] + " ms of " + roundTripsMs.length);
            process.terminate();
            assertThat(process.exitCode(PATIENCE_S)).as("exit code after SIGTERM").isEqualTo(143);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        }
    }

    private interface Condition {

        boolean holds() throws IOException, InterruptedException;
    }

    /** Floods the server until half of the legitimate sessions are opened anew and the condition holds. */
    private static void flood(EventLoopGroup group, InetSocketAddress server, List<Player> players, List<String> sources,
        Condition condition) throws Exception {
        try (OpenerFlood flood = new OpenerFlood(server, sources)) {
            Thread attack = new Thread(() -> flood.send(FLOOD_PER_SECOND), "flood");
            attack.start();
            try {
                awaitSent(attack, flood, FLOOD_DATAGRAMS / 4);
                for (int i = 0; i < SESSIONS / 2; i++) {
                    open(group, server, "during the flood from " + sources.size() + " addresses");
                }
                awaitSent(attack, flood, FLOOD_DATAGRAMS);
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
                while (!condition.holds()) {
                    assertThat(System.nanoTime() - deadlineNanos).as("the flood opens too few sessions").isNegative();
                    awaitSent(attack, flood, flood.sent() + FLOOD_PER_SECOND / 10);
                }
                awaitSent(attack, flood, flood.sent() + FLOOD_DATAGRAMS / 4);
            } finally {
                flood.stop();
                attack.join();
            }
        }
        awaitEchoes(players, "after the flood from " + sources.size() + " addresses");
    }

    private static void awaitSent(Thread attack, OpenerFlood flood, int datagrams) throws InterruptedException {
        while (flood.sent() < datagrams) {
            assertThat(attack.isAlive()).as("the flood continues").isTrue();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}
