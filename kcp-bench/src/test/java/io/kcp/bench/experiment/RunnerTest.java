package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.results.ResultFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs cells that return given values instead of starting programs. */
class RunnerTest {

    private static final int CELLS = 8;

    @TempDir
    Path directory;

    private final RunOptions options = new RunOptions(4, 1, 1);
    private final List<String> order = new ArrayList<>();
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    private Results run(Experiment experiment) throws IOException, InterruptedException {
        return new Runner(experiment, options, ResultFile.start("test", List.of("java"), Map.of()),
            new PrintStream(output, true, StandardCharsets.UTF_8)).run(experiment.cells());
    }

    private Cell cell(String peer, Cell.Measurement measurement) {
        return Cell.of(Contender.of(peer), List.of(Metric.MB_S), round -> {
            order.add(peer);
            return measurement.run(round);
        }, "scenario", "test");
    }

    private List<Cell> cells() {
        return IntStream.range(0, CELLS).mapToObj(index -> cell(Integer.toString(index), round -> Map.of(Metric.MB_S, 1.0))).toList();
    }

    @Test
    void eachRoundMeasuresEachCellOnceInANewOrder() throws Exception {
        options.seed = 1;
        run(this::cells);
        List<List<String>> rounds = IntStream.range(0, options.rounds)
            .mapToObj(round -> List.copyOf(order.subList(round * CELLS, (round + 1) * CELLS))).toList();
        assertThat(order).hasSize(options.rounds * CELLS);
        assertThat(rounds).doesNotHaveDuplicates().allSatisfy(round -> assertThat(round).doesNotHaveDuplicates());
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("seed of the order: 1\n", "8 runs done, at most 24 left");
    }

    @Test
    void firstPlaceIsNotThatOfOneCell() throws Exception {
        Map<String, Integer> firsts = new HashMap<>();
        for (options.seed = 0; options.seed < 50; options.seed++) {
            order.clear();
            run(this::cells);
            firsts.merge(order.get(0), 1, Integer::sum);
        }
        assertThat(firsts).hasSize(CELLS);
    }

    @Test
    void equalSeedsGiveEqualOrders() throws Exception {
        options.seed = 7;
        run(this::cells);
        List<String> first = List.copyOf(order);
        order.clear();
        run(this::cells);
        assertThat(order).isEqualTo(first);
    }

    @Test
    void failureKeepsTheOtherRunsOfTheCell() throws Exception {
        options.out = directory.resolve("sub").resolve("results.json");
        Cell fails = cell("failing", round -> {
            throw new IllegalStateException("no ready");
        });
        Cell once = cell("once", round -> {
            if (round == 3) {
                throw new IOException("closed");
            }
            return Map.of(Metric.MB_S, (double) round);
        });
        Results results = run(() -> List.of(fails, once));
        assertThat(order.stream().filter("failing"::equals)).as("a cell that never succeeded is not repeated").hasSize(1);
        assertThat(results.failures()).containsEntry(fails, "no ready").containsEntry(once, "closed");
        assertThat(results.values(once, Metric.MB_S)).containsExactly(1, 2, 4);
        ResultFile file = ResultFile.read(options.out);
        assertThat(file.runs()).hasSize(5);
        assertThat(file.runs()).filteredOn(run -> run.failure() != null).extracting(ResultFile.Run::failure)
            .containsExactlyInAnyOrder("no ready", "closed");
        assertThat(file.runs()).filteredOn(run -> run.isOf(Map.of("peer", "once", "scenario", "test"))).filteredOn(
            run -> run.failure() == null).extracting(run -> run.metrics().get("mb_s")).containsExactly(1.0, 2.0, 4.0);
        assertThat(new Summary(results).text()).contains("2.00 (1.00–4.00)", "FAILED: test, failing: no ready");
    }

    @Test
    void disturbedRunIsRepeatedAndTheLeastDisturbedCounts() throws Exception {
        options.rounds = 1;
        options.attempts = 3;
        List<Double> stalls = new ArrayList<>(List.of(9.0, 5.0, 7.0));
        Results results = run(() -> List.of(cell("one", round -> Map.of(Metric.STALLED_MS_S, stalls.remove(0)))));
        assertThat(order).hasSize(3);
        assertThat(results.allRuns()).extracting(run -> run.value(Metric.STALLED_MS_S)).containsExactly(5.0);
    }

    @Test
    void gateMeasuresOneGroupAfterTheOtherUntilItIsDecided() throws Exception {
        Experiment gate = new Experiment() {
            @Override
            public List<Cell> cells() {
                return List.of(group("a", "before"), group("b", "before"), group("a", "ours"), group("b", "ours"));
            }

            @Override
            public boolean isGate() {
                return true;
            }

            @Override
            public boolean isDecided(String group, Results results) {
                return results.runs(results.cells(group).get(0)).size() == (group.equals("a") ? 2 : 3);
            }
        };
        run(gate);
        assertThat(order).hasSize(10);
        assertThat(order.subList(0, 4)).allMatch(name -> name.startsWith("a"));
        assertThat(order.subList(4, 10)).allMatch(name -> name.startsWith("b"));
    }

    private Cell group(String group, String peer) {
        return Cell.of(Contender.of(peer), List.of(Metric.MB_S), round -> {
            order.add(group + ' ' + peer);
            return Map.of(Metric.MB_S, 1.0);
        }, "scenario", group);
    }
}
