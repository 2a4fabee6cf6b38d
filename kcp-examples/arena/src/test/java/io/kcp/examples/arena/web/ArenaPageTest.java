package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page in Chromium while bots play over lossy links. */
@Timeout(180)
class ArenaPageTest {

    private static final int WIDTH = 1400;
    private static final int HEIGHT = 1560;
    /** Number of pixels that differ from the background, and a checksum, over every 16th pixel of the canvas. */
    private static final String PIXELS = """
        (() => {
          const canvas = document.getElementById("world");
          const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          let other = 0, sum = 0;
          for (let i = 0; i < data.length; i += 64) {
            if (data[i] !== data[64] || data[i + 1] !== data[65] || data[i + 2] !== data[66]) {
              other++;
            }
            sum = (sum * 31 + data[i] + 7 * data[i + 1] + 49 * data[i + 2]) % 1000000007;
          }
          return other + " " + sum;
        })()""";
    private static final List<String> CHARTS =
        List.of("chart-rtt", "chart-loss", "chart-retransmissions", "chart-sessions", "chart-messages", "chart-traffic");

    private static final List<String> TILES = List.of("tile-players", "tile-rooms", "tile-rtt", "tile-rtt99", "tile-loss",
        "tile-snapshots", "tile-retransmissions", "tile-recovered", "tile-messages", "tile-said", "tile-out", "tile-in");

    @Test
    @Tag("slow")
    void worldMovesAndChartsAndNumbersChange(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        try (RunningArena arena = new RunningArena();
             BotFleet fleet = new BotFleet(arena.bots("--bots=50", "--say-rate=40", "--loss=5", "--delay=15"));
             Browser page = Browser.open(folder, WIDTH, HEIGHT)) {
            page.show(arena.page());
            assertThat(fleet.awaitIn(Duration.ofSeconds(20))).isTrue();
            fleet.talk(true);

            await("the page is live", () -> page.evaluate("document.getElementById('state')?.textContent").equals("live"));
            await("all players are counted", () -> text(page, "tile-players").equals("50"));
            await("messages are counted", () -> page.number("parseFloat(document.getElementById('tile-messages').textContent)") > 0);
            String[] before = page.evaluate(PIXELS).split(" ");
            assertThat(Integer.parseInt(before[0])).as("pixels that are not ground").isGreaterThan(500);
            double tick = page.number("document.getElementById('tick').dataset.tick");
            double points = points(page, CHARTS.get(0));
            assertThat(text(page, "tile-rooms")).isEqualTo("2");

            await("the picture changes", () -> !page.evaluate(PIXELS).split(" ")[1].equals(before[1]));
            await("time goes on", () -> page.number("document.getElementById('tick').dataset.tick") > tick + 20);
            await("the charts grow", () -> CHARTS.stream().allMatch(chart -> points(page, chart) >= points + 3));
            for (String chart : CHARTS) {
                for (int curve : List.of(0, 1)) {
                    String drawn = "Chart.getChart('" + chart + "').getDatasetMeta(" + curve + ").data";
                    assertThat(page.number(drawn + ".at(-1).x - " + drawn + "[0].x")).as(chart + " in pixels").isPositive();
                }
            }
            await("round trips are those of the link",
                () -> page.number("parseFloat(document.getElementById('tile-rtt').textContent)") >= 20);
            await("losses are seen", () -> page.number("Math.max(...charts[1].samples.map(s => s.snapshotLossPercent))") > 0.5);
            await("recovery is seen",
                () -> page.number("Math.max(...charts[2].samples.map(s => s.retransmissionsPerSecond + s.recoveredPerSecond))") > 0);
            assertThat(page.number("document.querySelectorAll('#sessions tr').length")).isEqualTo(12);
            assertThat(page.number("document.querySelectorAll('#scores li').length")).isBetween(15.0, 25.0);
            awaitThatEveryTileChanges(arena, page);
            checkThatSessionsAreSorted(page);
            assertThat(page.evaluate("String(document.getElementById('demo').hidden)")).as("no demo, no switch").isEqualTo("true");
            page.screenshot(Path.of("target", "arena-light.png"));
            page.setColorScheme("dark");
            page.screenshot(Path.of("target", "arena-dark.png"));
            assertThat(page.errors()).isEmpty();
        }
    }

    private static void checkThatSessionsAreSorted(Browser page) throws InterruptedException {
        for (int column : List.of(4, 3, 2)) {
            double height = page.number("document.documentElement.scrollHeight");
            page.evaluate("document.querySelectorAll('.sessions thead th')[" + column + "].firstChild.click()");
            String cells = "[...document.querySelectorAll('#sessions tr')].map(row => parseFloat(row.cells[" + column + "].textContent))";
            assertThat(page.number(cells + ".length")).isEqualTo(12);
            assertThat(page.evaluate("String(" + cells + ".every((value, i, all) => i === 0 || all[i - 1] >= value))"))
                .as("column " + column).isEqualTo("true");
            assertThat(page.number("document.documentElement.scrollHeight")).as("height of the page").isEqualTo(height);
        }
    }

    /** Adds bots with good links, which reduce the median round-trip time. */
    private static void awaitThatEveryTileChanges(RunningArena arena, Browser page) throws InterruptedException {
        Map<String, String> before = new HashMap<>();
        TILES.forEach(tile -> before.put(tile, text(page, tile)));
        assertThat(before).doesNotContainValue("–").doesNotContainValue("");
        try (BotFleet guests = new BotFleet(arena.bots("--bots=60", "--room-size=30", "--prefix=guest", "--room=guests",
            "--say-rate=40"))) {
            assertThat(guests.awaitIn(Duration.ofSeconds(20))).isTrue();
            guests.talk(true);
            Set<String> still = new TreeSet<>(TILES);
            Awaitility.await("every tile changes").atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                still.removeIf(tile -> !text(page, tile).equals(before.get(tile)));
                assertThat(still).isEmpty();
            });
        }
        await("the guests have gone", () -> text(page, "tile-players").equals("50"));
    }

    @Test
    void pageAndPlayersReconnectToRestartedServer(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        try (Browser page = Browser.open(folder, WIDTH, HEIGHT)) {
            BotFleet fleet;
            String[] samePorts;
            try (RunningArena arena = new RunningArena()) {
                fleet = new BotFleet(arena.bots("--bots=5"));
                page.show(arena.page());
                await("all players are counted", () -> text(page, "tile-players").equals("5"));
                samePorts = new String[] {"server.port=" + arena.pagePort(), "kcp.server.port=" + arena.players().getPort()};
            }
            try (fleet) {
                await("the page notices the lost server", () -> text(page, "state").startsWith("lost"));
                String gateway = text(page, "gateway");
                try (RunningArena arena = new RunningArena(samePorts)) {
                    await("the page is live", () -> text(page, "state").equals("live"));
                    await("another gateway serves it", () -> !text(page, "gateway").equals(gateway));
                    await("all players are counted", () -> text(page, "tile-players").equals("5"));
                    assertThat(arena.playersInRooms()).isEqualTo(5);
                    assertThat(page.errors()).isEmpty();
                }
            }
        }
    }

    @Test
    @Tag("slow")
    void switchTurnsFecOffAndMeasurementsAppear(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        String plain = "kcp.servers.plain.";
        try (RunningArena arena = new RunningArena("arena.demo=true", plain + "port=0", plain + "address=127.0.0.1",
                 plain + "crypt.type=aes-128-gcm", plain + "crypt.key=arena-example");
             BotFleet fleet = new BotFleet(arena.bots("--bots=20", "--loss=5", "--delay=15"));
             Browser page = Browser.open(folder, WIDTH, HEIGHT)) {
            arena.bean(DemoController.class).start(fleet, "plain");
            page.show(arena.page());
            assertThat(fleet.awaitIn(Duration.ofSeconds(20))).isTrue();
            await("the link is shown", () -> page.evaluate("document.getElementById('link-loss')?.value").equals("5"));
            assertThat(page.evaluate("document.getElementById('link-delay').value")).isEqualTo("15");
            await("FEC is measured", () -> measured(page, "with-fec"));
            assertThat(measured(page, "without-fec")).isFalse();
            page.evaluate("document.getElementById('link-fec').click()");
            await("the bots use the other server", () -> fleet.link().fec() == null && fleet.in() == 20);
            await("the other link is measured", () -> measured(page, "without-fec"));
            assertThat(measured(page, "with-fec")).as("stays, for comparison").isTrue();
            page.evaluate("document.getElementById('link-fec').click()");
            await("the bots are back", () -> fleet.link().fec() != null && fleet.in() == 20);
            assertThat(page.errors()).isEmpty();
        }
    }

    private static boolean measured(Browser page, String row) {
        return page.evaluate("[...document.getElementById('" + row + "').cells].slice(1).map(cell => cell.textContent).join()")
            .matches("(\\d+ ms,?){4}");
    }

    private static String text(Browser page, String id) {
        return page.evaluate("document.getElementById('" + id + "')?.textContent");
    }

    private static double points(Browser page, String chart) {
        return page.number("document.getElementById('" + chart + "').dataset.points");
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
    }
}
