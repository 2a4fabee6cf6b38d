package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.examples.arena.wire.KickReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests three gateways behind nginx with Redis and a hundred bots that send five hundred messages per second. When a gateway fails, its
 * bots resume within five seconds, and every bot receives every message once.
 */
@Tag("interop")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterTest {

    private static final int BOTS = 100;
    private static final int ROOM_SIZE = 20;
    private static final int MESSAGES_PER_SECOND = 500;
    private static final double LONGEST_OUTAGE_MS = 5_000;
    private static final double LONGEST_OUTAGE_WHILE_ONE_HANGS_MS = 12_000;
    /** Tolerated number of lost sessions beyond those of the failed gateway, because other sessions may time out on a busy machine. */
    private static final long SPARE = 20;
    private static final int GUESTS = 5;
    private static final int HANG_SECONDS = 8;
    private static final int RESUMED_SECONDS = 12;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private static Path directory;

    private static final List<AutoCloseable> OPEN = new ArrayList<>();
    private static final List<GatewayProcess> GATEWAYS = new ArrayList<>();
    private static RedisServer redis;
    private static int fleetsOfGuests;

    private NginxBalancer balancer;
    private MachineStalls stalls;

    @BeforeAll
    static void startCluster() throws IOException {
        redis = open(RedisServer.start(directory));
        for (int i = 1; i <= 3; i++) {
            GATEWAYS.add(open(new GatewayProcess("gateway-" + i, directory, redis.uri())));
        }
        GATEWAYS.forEach(GatewayProcess::awaitReady);
    }

    /**
     * Restarts gateways that the previous test has stopped, even if that test failed. Also restarts the balancer, because nginx avoids a
     * crashed gateway for a long time after its restart.
     */
    @BeforeEach
    void startWhatIsDown() throws IOException {
        for (GatewayProcess gateway : GATEWAYS) {
            gateway.startIfEnded();
        }
        GATEWAYS.forEach(GatewayProcess::awaitReady);
        balancer = NginxBalancer.start(Files.createTempDirectory(directory, "nginx"),
            GATEWAYS.stream().map(GatewayProcess::kcpAddress).toList(), BOTS / GATEWAYS.size());
        stalls = new MachineStalls();
    }

    @AfterEach
    void stopWatching() {
        if (stalls != null) {
            stalls.close();
        }
    }

    @AfterEach
    void stopBalancer() {
        if (balancer == null) {
            return;
        }
        String complaints = balancer.output();
        System.out.printf("  nginx: %d sessions without a gateway, %d datagrams refused%n", count(complaints, "no live upstreams"),
            count(complaints, "Connection refused"));
        balancer.close();
    }

    private static long count(String complaints, String what) {
        return complaints.lines().filter(line -> line.contains(what)).count();
    }

    @AfterAll
    static void stopCluster() throws Exception {
        for (int i = OPEN.size() - 1; i >= 0; i--) {
            OPEN.get(i).close();
        }
        OPEN.clear();
        GATEWAYS.clear();
    }

    private static <T extends AutoCloseable> T open(T closeable) {
        OPEN.add(closeable);
        return closeable;
    }

    @Test
    void playersOfKilledGatewayResumeAtOthers() throws IOException {
        try (BotFleet fleet = talkingFleet("kill")) {
            GatewayProcess victim = GATEWAYS.get(1);
            int hit = playersAt(victim, fleet);
            victim.kill();
            awaitMore(fleet, 10 * MESSAGES_PER_SECOND);
            BotReport report = check("kill -9 of one of three gateways, which had " + hit + " players", fleet, "kill", LONGEST_OUTAGE_MS);
            assertThat(report.outagesMs().count()).as("sessions lost").isBetween((long) hit, hit + SPARE);
        }
    }

    @Test
    void rollingRestartLosesNoMessage() throws Exception {
        try (BotFleet fleet = talkingFleet("roll")) {
            StringBuilder drains = new StringBuilder();
            for (GatewayProcess gateway : GATEWAYS) {
                drains.append(' ').append(gateway.stop().toMillis()).append(" ms");
                assertThat(gateway.output()).as("it drained").contains("has disconnected all players", "has no more sessions");
                gateway.start();
                gateway.awaitReady();
                warmUp(gateway);
                awaitMore(fleet, MESSAGES_PER_SECOND);
            }
            System.out.println("  from SIGTERM to the end:" + drains);
            BotReport report = check("restart of all three gateways", fleet, "roll", LONGEST_OUTAGE_MS);
            assertThat(report.outagesMs().count()).as("sessions lost").isGreaterThanOrEqualTo(BOTS);
            assertThat(report.kicked().getOrDefault(KickReason.DRAINING, 0L)).as("sent away").isGreaterThanOrEqualTo(BOTS);
        }
    }

    /** Warms up a new JVM with players in a separate room, because its first requests take about a second. */
    private static void warmUp(GatewayProcess gateway) {
        String guests = "guest" + ++fleetsOfGuests + 'n';
        try (BotFleet fleet = new BotFleet(BotSettings.of("--servers=" + address(gateway.kcpAddress()), "--bots=" + GUESTS,
            "--room-size=" + GUESTS, "--prefix=" + guests, "--room=" + guests, "--say-rate=" + 10 * GUESTS, "--answer-timeout=10000",
            "--dead-peer-timeout=10000"))) {
            assertThat(fleet.awaitIn(LIMIT)).as("guests are in: %s", fleet.report().summary()).isTrue();
            fleet.talk(true);
            awaitMore(fleet, 20 * GUESTS);
        }
    }

    private static String address(InetSocketAddress address) {
        return "127.0.0.1:" + address.getPort();
    }

    private static int playersAt(GatewayProcess gateway, BotFleet fleet) {
        int players = fleet.report().gateways().getOrDefault(gateway.toString(), 0);
        assertThat(players).as("players at %s", gateway).isPositive();
        return players;
    }

    /**
     * Nginx does not detect the suspended gateway, so it may send a player there repeatedly. After resuming, the gateway reads old
     * messages that other gateways have published in the meantime, and joins of players that have moved to other gateways.
     */
    @Test
    void suspendedGatewayRepeatsNoMessages() throws IOException {
        try (BotFleet fleet = talkingFleet("hang")) {
            GatewayProcess victim = GATEWAYS.get(2);
            int hit = playersAt(victim, fleet);
            victim.hang();
            try {
                awaitMore(fleet, HANG_SECONDS * MESSAGES_PER_SECOND);
            } finally {
                victim.goOn();
            }
            // The resumed gateway processes stale messages and joins meanwhile, and its old sessions time out.
            awaitMore(fleet, RESUMED_SECONDS * MESSAGES_PER_SECOND);
            BotReport report = check("one of three gateways, which has " + hit + " players, hangs for a while", fleet, "hang",
                LONGEST_OUTAGE_WHILE_ONE_HANGS_MS);
            assertThat(report.outagesMs().count()).as("sessions lost").isBetween((long) hit, hit + SPARE);
        }
    }

    private BotFleet talkingFleet(String prefix) {
        BotFleet fleet = new BotFleet(BotSettings.of("--servers=" + address(balancer.address()), "--bots=" + BOTS,
            "--room-size=" + ROOM_SIZE, "--prefix=" + prefix, "--room=" + prefix, "--join-rate=" + BOTS,
            "--say-rate=" + MESSAGES_PER_SECOND));
        assertThat(fleet.awaitIn(LIMIT)).as("all are in: %s", fleet.report().summary()).isTrue();
        fleet.talk(true);
        awaitMore(fleet, 2 * MESSAGES_PER_SECOND);
        return fleet;
    }

    /** Waits until a number of further messages has been acknowledged. */
    private static void awaitMore(BotFleet fleet, long messages) {
        long enough = fleet.acknowledged() + messages;
        await().atMost(LIMIT).untilAsserted(() ->
            assertThat(fleet.acknowledged()).as(() -> fleet.report().summary()).isGreaterThanOrEqualTo(enough));
    }

    /** Checks the outages, whose limit is extended by the time for which the machine has stalled. */
    private BotReport check(String what, BotFleet fleet, String rooms, double longestOutageMs) {
        boolean settled = fleet.awaitSettled(LIMIT);
        BotReport report = fleet.report();
        double stalledMs = stalls.totalMs();
        System.out.printf("%n%s:%n%s  the machine stalled for %.0f ms%n", what, report.summary().indent(2), stalledMs);
        assertThat(settled).as(report.summary()).isTrue();
        assertThat(report.outagesMs().max()).as("longest outage, ms: %s", report.longestOutages())
            .isLessThanOrEqualTo(longestOutageMs + stalledMs);
        assertThat(report.missing()).as("lost").isZero();
        assertThat(report.repeated()).as("duplicated").isZero();
        assertThat(report.problems()).isEmpty();
        assertThat(RoomLogs.check(redis, rooms, BOTS / ROOM_SIZE)).as("messages in the logs").isEqualTo(report.acknowledged());
        return report;
    }
}
