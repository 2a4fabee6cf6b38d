package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.ArenaApplication;
import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.world.WorldView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests two gateways in this process with a real Redis server. */
@Tag("interop")
@Timeout(120)
class SharedRoomTest {

    private static final Duration SOON = Duration.ofSeconds(40);
    private static final int BOTS = 30;
    private static final int RESPONSE_TIMEOUT_MS = 4_000;
    private static final int MAX_OUTAGE_MS = 2_500;
    @TempDir
    private Path directory;
    private RedisServer redis;

    @BeforeEach
    void startRedis() throws IOException {
        redis = RedisServer.start(directory);
    }

    @AfterEach
    void stopRedis() {
        if (redis != null) {
            redis.close();
        }
    }

    private RunningArena gateway(String name) {
        return new RunningArena(List.of(ArenaApplication.class, ClusterConfiguration.class), "arena.gateway=" + name,
            "arena.history=20000", "spring.data.redis.url=" + redis.uri());
    }

    private static BotFleet fleet(RunningArena... gateways) {
        StringBuilder servers = new StringBuilder();
        for (RunningArena gateway : gateways) {
            servers.append(servers.isEmpty() ? "" : ",").append("127.0.0.1:").append(gateway.players().getPort());
        }
        return new BotFleet(BotSettings.of("--servers=" + servers, "--bots=" + BOTS, "--room-size=15", "--say-rate=100",
            "--answer-timeout=" + RESPONSE_TIMEOUT_MS, "--dead-peer-timeout=8000"));
    }

    @Test
    void playersShareOneWorldAndSurviveGatewayStop() {
        try (RunningArena staying = gateway("staying")) {
            BotFleet fleet;
            try (RunningArena stopping = gateway("stopping")) {
                fleet = fleet(staying, stopping);
                assertThat(fleet.awaitIn(SOON)).as("%s", fleet.report().summary()).isTrue();
                fleet.talk(true);
                assertThat(fleet.report().gateways()).containsOnlyKeys("staying", "stopping");
                for (RunningArena gateway : List.of(staying, stopping)) {
                    assertThat(fleet.await(SOON, report -> fighters(gateway, "room-0") == 15)).as("one world").isTrue();
                }
                assertThat(fleet.await(SOON, report -> report.acknowledged() > 300)).isTrue();
            }
            try (fleet) {
                assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
                BotReport report = fleet.report();
                assertThat(report.isGood()).as("%s", report.summary()).isTrue();
                assertThat(report.kicked()).containsKey(KickReason.DRAINING);
                // Each attempt of a bot uses a random gateway, like a balancer without health checks. An attempt without a response would
                // last for the whole response timeout.
                assertThat(report.outagesMs().max()).as("each attempt received a response: %s", report.longestOutages())
                    .isLessThan(MAX_OUTAGE_MS);
                assertThat(staying.playersInRooms()).isEqualTo(BOTS);
                for (String room : List.of("room-0", "room-1")) {
                    assertThat(fleet.await(SOON, later -> fighters(staying, room) == 15)).as(room).isTrue();
                }
            }
        }
    }

    private static int fighters(RunningArena gateway, String name) {
        Room room = gateway.bean(Rooms.class).find(name);
        WorldView view = room == null ? null : room.view();
        return view == null ? 0 : view.players().size();
    }

    @Test
    void crashOfRedisLosesAndRepeatsNoMessage() throws IOException {
        try (RunningArena here = gateway("here"); RunningArena there = gateway("there"); BotFleet fleet = fleet(here, there)) {
            assertThat(fleet.awaitIn(SOON)).as("%s", fleet.report().summary()).isTrue();
            fleet.talk(true);
            assertThat(fleet.await(SOON, report -> report.acknowledged() > 300)).isTrue();
            redis.kill();
            redis.start();
            long before = fleet.acknowledged();
            assertThat(fleet.await(SOON, report -> report.acknowledged() > before + 300)).as("%s", fleet.report().summary()).isTrue();
            assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
            BotReport report = fleet.report();
            assertThat(report.isGood()).as("%s", report.summary()).isTrue();
            assertThat(RoomLogs.check(redis, "room", 2)).isEqualTo(report.acknowledged());
        }
    }
}
