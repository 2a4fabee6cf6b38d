package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;

/**
 * Compares the performance of this library with that of other implementations and protocols. Client and server are separate processes
 * connected over 127.0.0.1. Unless a scenario specifies other options, all programs use nodelay 1,10,2,1, windows of 1,024 segments, an
 * MTU of 1,400 bytes, no cipher and no FEC.
 *
 * <p>In a pinned scenario, the server runs on the first processor and the client on the others, so that the server's CPU time per message
 * does not depend on the client.
 */
@Command(name = "side-by-side", description = "Compares this library with other implementations and protocols.",
    mixinStandardHelpOptions = true)
final class SideBySide extends ScenarioCommand {

    SideBySide() {
        super(new RunOptions(5, 6, 4), Scenarios.all().stream().map(Scenario::name).toList());
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        Pinning pinning = Pinning.find();
        Peers.check(run, Scenarios.all().stream().flatMap(scenario -> scenario.contenders().stream()).toList(), spec.commandLine());
        Peers peers = new Peers(run);
        List<Cell> cells = new ArrayList<>();
        for (Scenario scenario : scenarios(pinning)) {
            cells.addAll(cells(scenario, scenario.contenders(), scenario.metrics(), peers, (contender, peer) ->
                round -> new LoadRun(scenario, contender, peer, run, durations, pinning, false).run()));
        }
        return cells;
    }

    @Override
    public List<Requirement> requirements(Results results) {
        return Scenarios.all().stream().flatMap(scenario -> scenario.targets().stream()
            .map(target -> target.evaluate(results, scenario.name()))).filter(Objects::nonNull).toList();
    }
}
