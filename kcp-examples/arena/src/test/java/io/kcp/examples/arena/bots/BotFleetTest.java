package io.kcp.examples.arena.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.server.ArenaFigures;
import io.kcp.examples.arena.wire.KickReason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A gateway and many players, over real sockets. */
@Timeout(120)
class BotFleetTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    /** The machine may be busy with other things. */
    private static final Duration PATIENT = Duration.ofSeconds(8);
    /** For tests that wait until bots notice that their session is lost, and do not mind if some others are lost too. */
    private static final Duration BRISK = Duration.ofSeconds(2);

    @Test
    void everybodyHearsEverythingOnceAndSeesTheWorldMove() {
        try (RunningArena arena = new RunningArena(); BotFleet fleet = fleet(arena, 60, 0, PATIENT)) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 300 && report.snapshots() > 60 * 40))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(report.heard()).isEqualTo(report.acknowledged() * 20);
            assertThat(report.rttMs().count()).isGreaterThan(60);
            ArenaFigures figures = arena.gateway().figures();
            assertThat(figures.players()).isEqualTo(60);
            assertThat(figures.rooms()).isEqualTo(3);
            assertThat(figures.heard()).isGreaterThanOrEqualTo(report.heard());
            assertThat(figures.decodeProblems()).isEmpty();
            assertThat(figures.outOfBandBytesOut()).isPositive();
            // Nothing is smaller than a byte, and all inputs go out of band.
            assertThat(figures.outOfBandBytesIn()).isGreaterThan(figures.inputs()).isPositive();
        }
    }

    @Test
    void aBadLineAndCutLinesLoseAndRepeatNoMessage() {
        try (RunningArena arena = new RunningArena(); BotFleet fleet = fleet(arena, 40, 10, BRISK)) {
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
            assertThat(report.snapshotsMissed()).isPositive();
            assertThat(arena.gateway().figures().resumed()).isGreaterThanOrEqualTo(80);
        }
    }

    @Test
    void withoutParityAndCipherSnapshotsComeReliably() {
        String[] plain = {"kcp.server.fec.data-shards=0", "kcp.server.fec.parity-shards=0", "kcp.server.crypt.type=null",
            "kcp.server.crypt.key="};
        try (RunningArena arena = new RunningArena(plain);
             BotFleet fleet = new BotFleet(new BotSettings(List.of(arena.players())).bots(10)
                 .timeouts(PATIENT, PATIENT).wire(null, null))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 10 && report.snapshots() > 10 * 20))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.awaitSettled(SOON)).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            ArenaFigures figures = arena.gateway().figures();
            assertThat(figures.snapshotsSent()).isPositive();
            assertThat(figures.inputs()).isPositive();
            assertThat(figures.outOfBandBytesOut()).as("what KCP counts").isZero();
            assertThat(figures.outOfBandBytesIn()).as("what KCP counts").isZero();
        }
    }

    @Test
    void whoFindsItsRoomFullAsksAgainUntilThereIsAPlace() {
        try (RunningArena arena = new RunningArena("arena.room-size=2")) {
            BotFleet late;
            try (BotFleet first = fleet(arena, 2, 0, PATIENT)) {
                assertThat(first.awaitIn(SOON)).isTrue();
                late = new BotFleet(new BotSettings(List.of(arena.players())).bots(1).prefix("late").timeouts(PATIENT, PATIENT));
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
    void aPlayerThatComesBackAsAnotherIsAProblem() {
        BotFleet fleet;
        String samePort;
        try (RunningArena first = new RunningArena()) {
            fleet = fleet(first, 3, 0, BRISK);
            assertThat(fleet.awaitIn(SOON)).isTrue();
            assertThat(fleet.report().gateways()).isEqualTo(Map.of(first.gateway().name(), 3));
            samePort = "kcp.server.port=" + first.players().getPort();
        }
        try (fleet; RunningArena second = new RunningArena(samePort)) {
            assertThat(fleet.await(SOON, report -> report.gateways().equals(Map.of(second.gateway().name(), 3))))
                .as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.report().problems()).as("the second gateway knows nothing of the first")
                .anySatisfy(problem -> assertThat(problem).contains("came back as a new player"));
        }
    }

    private static BotFleet fleet(RunningArena arena, int bots, double lossPercent, Duration timeout) {
        BotSettings settings = new BotSettings(List.of(arena.players())).bots(bots).roomSize(20).sayRate(100).seed(bots)
            .timeouts(timeout, timeout);
        return new BotFleet(lossPercent > 0 ? settings.link(lossPercent, Duration.ofMillis(10)) : settings);
    }
}
