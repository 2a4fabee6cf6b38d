package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiment that runs scenarios of {@link Scenarios}. */
abstract class ScenarioCommand extends ExperimentCommand {

    static final String SCENARIO = "scenario";

    @Option(names = "--scenarios", split = ",", description = "names of the scenarios (${DEFAULT-VALUE}); 'pinned' selects all pinned ones")
    List<String> scenarioNames;

    @Mixin
    RunDurations durations = new RunDurations();

    /** Creates the command with its default values. */
    ScenarioCommand(RunOptions run, List<String> scenarioNames) {
        super(run);
        this.scenarioNames = scenarioNames;
    }

    /** Returns the selected scenarios. Prints a line for each pinned scenario if programs cannot be pinned. */
    List<Scenario> scenarios(Pinning pinning) {
        List<Scenario> selected = new ArrayList<>();
        for (Scenario scenario : Scenarios.named(scenarioNames, spec.commandLine())) {
            if (scenario.pinned() && pinning.problem() != null) {
                System.err.println("skipping " + scenario.name() + ": " + pinning.problem());
            } else {
                selected.add(scenario);
            }
        }
        return selected;
    }

    @Override
    String title(String group) {
        return Scenarios.all().stream().filter(scenario -> scenario.name().equals(group)).map(scenario -> scenario.title() + ": ")
            .findFirst().orElse("");
    }

    /** Returns the cells of a scenario with those contenders that can run. */
    static List<Cell> cells(Scenario scenario, List<Contender> contenders, List<Metric> metrics, Peers peers, Measurements measurements)
        throws IOException, InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (Contender contender : peers.select(contenders)) {
            Peer peer = peers.program(contender);
            if (scenario.suits(peer)) {
                cells.add(Cell.of(contender, metrics, measurements.of(contender, peer), SCENARIO, scenario.name()));
            }
        }
        return cells;
    }

    /** Returns the measurement of a contender. */
    @FunctionalInterface
    interface Measurements {
        Cell.Measurement of(Contender contender, Peer peer);
    }
}
