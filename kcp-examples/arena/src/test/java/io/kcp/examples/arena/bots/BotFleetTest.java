package io.kcp.examples.arena.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.LossyRelay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gateway and many players, over real sockets. */
@Timeout(120)
class BotFleetTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    /** Timeout for tests that wait until bots detect a lost session. */
    private static final String[] BRISK = {"--answer-timeout=2000", "--dead-peer-timeout=2000"};

    @Test
    @Tag("slow")
    void everyBotReceivesEveryMessageOnceAndSeesTheWorldMove() {
        try (RunningArena arena = new RunningArena();
             BotFleet fleet = new BotFleet(arena.bots("--bots=60", "--room-size=20", "--say-rate=100"))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 300 && report.snapshots() > 60 * 40))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(report.heard()).isEqualTo(report.acknowledged() * 20);
            assertThat(report.rttMs().count()).isGreaterThan(60);
            assertThat(report.gapMs().count()).isGreaterThan(60);
            ArenaCounters.Values counters = arena.counters();
            assertThat(arena.playersInRooms()).isEqualTo(60);
            assertThat(counters.heard()).isGreaterThanOrEqualTo(report.heard());
            assertThat(counters.outOfBandBytesOut()).isPositive();
            // All inputs are sent out of band, and each has more than one byte.
            assertThat(counters.outOfBandBytesIn()).isGreaterThan(counters.inputs()).isPositive();
        }
    }

    @Test
    @Tag("slow")
    void lossyLinksAndCutSessionsLoseAndRepeatNoMessage() {
        try (RunningArena arena = new RunningArena(); BotFleet fleet = new BotFleet(arena.bots("--bots=40", "--room-size=20",
            "--say-rate=100", "--loss=10", "--delay=10", BRISK[0], BRISK[1]))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            for (int i = 1; i <= 3; i++) {
                long enough = i * 100;
                assertThat(fleet.await(SOON, report -> report.acknowledged() > enough)).isTrue();
                fleet.cut();
            }
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(report.heard()).isEqualTo(report.acknowledged() * 20);
            assertThat(report.joins()).isGreaterThan(100);
            assertThat(report.longestOutages()).hasSize(3).first()
                .satisfies(longest -> assertThat(longest.notes().get(0)).contains("cut on purpose, next attempt in"))
                .satisfies(longest -> assertThat(longest.notes()).last().asString().endsWith("welcomed by " + arena.name()));
            assertThat(report.snapshotsMissed()).isPositive();
            assertThat(arena.counters().resumed()).isGreaterThanOrEqualTo(80);
        }
    }

    @Test
    @Tag("slow")
    void withoutFecSnapshotsAreReliable() {
        String[] plain = {"kcp.server.fec.data-shards=0", "kcp.server.fec.parity-shards=0", "kcp.server.crypt.type=null",
            "kcp.server.crypt.key="};
        try (RunningArena arena = new RunningArena(plain);
             BotFleet fleet = new BotFleet(arena.bots("--bots=10", "--fec=none", "--crypt=null"))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 10 && report.snapshots() > 10 * 20))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.awaitSettled(SOON)).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            ArenaCounters.Values counters = arena.counters();
            assertThat(counters.snapshotsSent()).isPositive();
            assertThat(counters.inputs()).isPositive();
            assertThat(counters.outOfBandBytesOut()).isZero();
            assertThat(counters.outOfBandBytesIn()).isZero();
        }
    }

    @Test
    @Tag("slow")
    void changedLinkMovesAllBotsAndLosesNoMessage() {
        try (RunningArena arena = new RunningArena("kcp.servers.plain.port=0", "kcp.servers.plain.address=127.0.0.1",
                 "kcp.servers.plain.crypt.type=aes-128-gcm", "kcp.servers.plain.crypt.key=arena-example");
             BotFleet fleet = new BotFleet(arena.bots("--bots=10", "--say-rate=50"))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 50)).isTrue();
            BotLink before = fleet.link();
            fleet.setLink(new BotLink(List.of(arena.players("plain")), 5, Duration.ofMillis(5), null));
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 100)).isTrue();
            fleet.setLink(new BotLink(before.servers(), 0, Duration.ZERO, before.fec()));
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 150)).isTrue();
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(report.joins()).isGreaterThanOrEqualTo(30);
        }
    }

    /** Without roaming, the sessions are lost when the NAT assigns other ports. The bots reconnect and resume. */
    @Test
    @Tag("slow")
    void rebindOfTheNatLosesNoMessage() {
        try (RunningArena arena = new RunningArena();
             LossyRelay nat = LossyRelay.start(arena.players(), LinkProfile.builder().build(), 1);
             BotFleet fleet = new BotFleet(BotSettings.of("--servers=127.0.0.1:" + nat.address().getPort(), "--bots=10", "--room-size=10",
                 "--say-rate=50", BRISK[0], BRISK[1]))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 50)).isTrue();
            nat.rebind();
            assertThat(fleet.await(SOON, report -> report.joins() >= 20)).as("%s", fleet.report().summary()).isTrue();
            long before = fleet.report().acknowledged();
            assertThat(fleet.await(SOON, report -> report.acknowledged() > before + 50)).isTrue();
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(report.heard()).isEqualTo(report.acknowledged() * 10);
            assertThat(report.longestOutages().get(0).notes().get(0)).contains("dead-peer timeout");
        }
    }

    @Test
    void botRetriesUntilRoomHasSpace() {
        try (RunningArena arena = new RunningArena("arena.room-size=2")) {
            BotFleet late;
            try (BotFleet first = new BotFleet(arena.bots("--bots=2"))) {
                assertThat(first.awaitIn(SOON)).isTrue();
                late = new BotFleet(arena.bots("--bots=1", "--prefix=late"));
                assertThat(late.await(SOON, report -> report.kicked().getOrDefault(KickReason.ROOM_FULL, 0L) >= 2)).isTrue();
                assertThat(late.in()).isZero();
            }
            try (late) {
                assertThat(late.awaitIn(SOON)).as("%s", late.report().summary()).isTrue();
                assertThat(late.report().isGood()).as("%s", late.report().summary()).isTrue();
            }
        }
    }

    @Test
    @Tag("slow")
    void drainOpensNoFurtherSessionsAndNextServerTakesThePlayers() {
        BotFleet fleet;
        String samePort;
        try (RunningArena first = new RunningArena()) {
            fleet = new BotFleet(first.bots("--bots=20", BRISK[0], BRISK[1]));
            assertThat(fleet.awaitIn(SOON)).isTrue();
            assertThat(fleet.report().gateways()).isEqualTo(Map.of(first.name(), 20));
            samePort = "kcp.server.port=" + first.players().getPort();
        }
        assertThat(fleet.report().kicked()).as("one kick for each bot").isEqualTo(Map.of(KickReason.DRAINING, 20L));
        try (fleet; RunningArena second = new RunningArena(samePort)) {
            assertThat(fleet.await(SOON, report -> report.gateways().equals(Map.of(second.name(), 20))))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.report().problems()).as("the second server does not have the messages of the first")
                .contains("gateways no longer had the messages of resuming players");
        }
    }
}
