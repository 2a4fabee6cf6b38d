package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The page, in the browser of the machine, while bots play on lines that lose and delay. */
@Timeout(180)
class ArenaPageTest {

    private static final Duration PATIENT = Duration.ofSeconds(5);
    private static final int WIDTH = 1400;
    private static final int HEIGHT = 1560;
    /** Of every 16th pixel of the canvas: how many are not of the ground's colour, and a sum that other pictures have otherwise. */
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
    void theWorldMovesTheChartsGrowAndTheNumbersChange(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        Path program = DevTools.findBrowser();
        assumeTrue(program != null, "there is no Chromium on the PATH (Debian: apt-get install chromium)");
        try (RunningArena arena = new RunningArena();
             BotFleet fleet = new BotFleet(settings(arena));
             DevTools page = DevTools.open(program, folder, WIDTH, HEIGHT)) {
            page.command("Page.navigate", Map.of("url", arena.page()));
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
                assertThat(page.number("document.querySelectorAll('#" + chart + " .curve').length")).as(chart).isEqualTo(2);
                assertThat(page.number("document.querySelector('#" + chart + " .curve').getBBox().width")).as(chart).isPositive();
            }
            await("round trips are those of the line",
                () -> page.number("parseFloat(document.getElementById('tile-rtt').textContent)") >= 20);
            await("losses are seen", () -> page.number("Math.max(...charts[1].samples.map(s => s.snapshotLossPercent))") > 0.5);
            await("repairs are seen",
                () -> page.number("Math.max(...charts[2].samples.map(s => s.retransmissionsPerSecond + s.recoveredPerSecond))") > 0);
            assertThat(page.number("document.querySelectorAll('#sessions tr').length")).isEqualTo(12);
            assertThat(page.number("document.querySelectorAll('#scores li').length")).isBetween(15.0, 25.0);
            awaitThatEveryTileChanges(arena, page);
            checkThatSessionsAreSortedAndWatched(page);
            page.screenshot(Path.of("target", "arena-light.png"));
            page.command("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(''))))");
            page.screenshot(Path.of("target", "arena-dark.png"));
            assertThat(page.errors()).isEmpty();
        }
    }

    private static void checkThatSessionsAreSortedAndWatched(DevTools page) throws InterruptedException {
        for (int column : List.of(4, 3, 2)) {
            double height = page.number("document.documentElement.scrollHeight");
            page.evaluate("document.querySelectorAll('thead th')[" + column + "].firstChild.click()");
            String cells = "[...document.querySelectorAll('#sessions tr')].map(row => parseFloat(row.cells[" + column + "].textContent))";
            assertThat(page.number(cells + ".length")).isEqualTo(12);
            assertThat(page.evaluate("String(" + cells + ".every((value, i, all) => i === 0 || all[i - 1] >= value))"))
                .as("column " + column).isEqualTo("true");
            assertThat(page.number("document.documentElement.scrollHeight")).as("height of the page").isEqualTo(height);
        }
        String last = page.evaluate("document.querySelector('#sessions tr:last-child').cells[0].textContent");
        assertThat(text(page, "watched")).isNotEmpty().isNotEqualTo(last);
        page.evaluate("document.querySelector('#sessions tr:last-child button').click()");
        assertThat(text(page, "watched")).isEqualTo(last);
        await("the session's charts grow",
            () -> points(page, "chart-session-rtt") >= 3 && points(page, "chart-session-repairs") >= 3);
        assertThat(page.number("sessionCharts[0].samples.at(-1).session.rttMs")).as("a line with 30 ms").isBetween(20.0, 1000.0);
    }

    /** More than as many come, on good lines and to rooms of their own: so the median falls too. */
    private static void awaitThatEveryTileChanges(RunningArena arena, DevTools page) throws InterruptedException {
        Map<String, String> before = new HashMap<>();
        TILES.forEach(tile -> before.put(tile, text(page, tile)));
        assertThat(before).doesNotContainValue("–").doesNotContainValue("");
        try (BotFleet guests = new BotFleet(new BotSettings(List.of(arena.players())).bots(60).roomSize(30).prefix("guest").room("guests")
            .sayRate(40).timeouts(PATIENT, PATIENT))) {
            assertThat(guests.awaitIn(Duration.ofSeconds(20))).isTrue();
            guests.talk(true);
            Set<String> still = new TreeSet<>(TILES);
            await("every tile changes", still::toString, () -> {
                still.removeIf(tile -> !text(page, tile).equals(before.get(tile)));
                return still.isEmpty();
            });
        }
        await("the guests have gone", () -> text(page, "tile-players").equals("50"));
    }

    @Test
    void thePageAndThePlayersComeBackWhenTheServerDoes(@TempDir(cleanup = CleanupMode.ALWAYS) Path folder) throws Exception {
        Path program = DevTools.findBrowser();
        assumeTrue(program != null, "there is no Chromium on the PATH (Debian: apt-get install chromium)");
        try (DevTools page = DevTools.open(program, folder, WIDTH, HEIGHT)) {
            BotFleet fleet;
            String[] samePorts;
            try (RunningArena arena = new RunningArena()) {
                fleet = new BotFleet(new BotSettings(List.of(arena.players())).bots(5).timeouts(PATIENT, PATIENT));
                page.command("Page.navigate", Map.of("url", arena.page()));
                await("all players are counted", () -> text(page, "tile-players").equals("5"));
                samePorts = new String[] {"server.port=" + arena.pagePort(), "kcp.server.port=" + arena.players().getPort()};
            }
            try (fleet) {
                await("the page knows that it is alone", () -> text(page, "state").startsWith("lost"));
                String gateway = text(page, "gateway");
                try (RunningArena arena = new RunningArena(samePorts)) {
                    await("the page is live", () -> text(page, "state").equals("live"));
                    await("another gateway serves it", () -> !text(page, "gateway").equals(gateway));
                    await("all players are counted", () -> text(page, "tile-players").equals("5"));
                    assertThat(arena.gateway().figures().players()).isEqualTo(5);
                    assertThat(page.errors()).isEmpty();
                }
            }
        }
    }

    private static BotSettings settings(RunningArena arena) {
        return new BotSettings(List.of(arena.players())).bots(50).roomSize(25).sayRate(40).link(2, Duration.ofMillis(15))
            .timeouts(PATIENT, PATIENT);
    }

    private static String text(DevTools page, String id) {
        return page.evaluate("document.getElementById('" + id + "')?.textContent");
    }

    private static double points(DevTools page, String chart) {
        return page.number("document.getElementById('" + chart + "').dataset.points");
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        await(what, () -> "", condition);
    }

    private static void await(String what, Supplier<String> missing, BooleanSupplier condition) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - endNanos).as(() -> what + ' ' + missing.get()).isNegative();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
