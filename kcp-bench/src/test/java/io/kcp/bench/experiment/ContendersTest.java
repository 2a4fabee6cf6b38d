package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.bench.attack.AttackKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Checks which contenders run, and their command lines. */
class ContendersTest {

    @TempDir
    Path directory;

    private final RunOptions options = new RunOptions(1, 1, 1);

    @BeforeEach
    void installPrograms() throws Exception {
        options.interop = directory;
        for (String program : List.of("kcppeer-5.6.72", "kcp-netty-peer.jar", "java-kcp-peer.jar", "plain-peer.jar")) {
            Files.createFile(directory.resolve(program));
        }
        options.eventLoops = 3;
    }

    private List<String> selected(List<Contender> contenders) throws Exception {
        return new Peers(options).select(contenders).stream().map(Contender::name).toList();
    }

    @Test
    void peersAreSelectedByNameOrSettings() throws Exception {
        List<Contender> all = LossyLink.contenders();
        assertThat(selected(all)).contains("ours", "ours auto", "ours bbr", "ours fec 2:1", "kcp-go", "kcp-go fec 2:1", "tcp cubic",
            "tcp bbr", "quic").doesNotHaveDuplicates();
        options.peers = List.of("none");
        assertThat(selected(all)).contains("ours", "ours fec 10:3").allMatch(name -> name.startsWith("ours"));
        options.peers = List.of("ours fec 2:1", "kcp-go fec 2:1", "tcp");
        assertThat(selected(all)).containsExactlyInAnyOrder("ours fec 2:1", "kcp-go fec 2:1", "tcp cubic", "tcp bbr");
    }

    @Test
    void missingProgramIsSkippedAndUnknownNameRejected() throws Exception {
        Files.delete(directory.resolve("plain-peer.jar"));
        assertThat(selected(LossyLink.contenders())).contains("kcp-go").doesNotContain("quic", "tcp bbr");
        options.peers = List.of("kcp-goo");
        assertThatThrownBy(() -> Peers.check(options, LossyLink.contenders(), new CommandLine(new LossyLink())))
            .isInstanceOf(CommandLine.ParameterException.class).hasMessageContaining("kcp-goo (expected: none, or some of ours,");
    }

    @Test
    void earlierBuildFollowsEachContenderOfThisLibrary() throws Exception {
        Path jar = Files.createFile(directory.resolve("earlier.jar"));
        options.before = jar.toString();
        options.peers = List.of("none");
        Peers peers = new Peers(options);
        List<Contender> contenders = peers.select(List.of(Contender.of("ours"), Contender.ours("auto", "--auto")));
        assertThat(contenders).extracting(Contender::name).containsExactly("ours", "before", "ours auto", "before auto");
        Contender before = contenders.get(3);
        assertThat(peers.program(before).command(Peer.SERVER, before, Layers.NONE, List.of()))
            .containsSubsequence("-cp", jar.toString(), "io.kcp.bench.KcpLoad", "server", "--auto");
    }

    @Test
    void allProgramsOnTheJvmHaveTheSameEventLoops() throws Exception {
        Peers peers = new Peers(options);
        for (Contender contender : peers.select(Stream.of("ours", "kcp-netty", "java-kcp", "tcp", "quic", "udp").map(Contender::of)
            .toList())) {
            assertThat(peers.program(contender).command(Peer.CLIENT, contender, Layers.NONE, List.of()))
                .as(contender.name()).containsSubsequence("--threads", "3");
        }
    }

    @Test
    void attackedServersOnTheJvmHaveTheSameHeap() throws Exception {
        Peers peers = new Peers(options);
        for (Contender contender : peers.select(Stream.of("ours", "java-kcp", "quic").map(Contender::of).toList())) {
            AttackTarget target = AttackTarget.of(contender, peers.program(contender), List.of());
            assertThat(target.command(AttackKind.OPENERS, new AttackOptions())).as(contender.name())
                .containsSubsequence("-Xms128m", "-Xmx128m", "-Xmn32m");
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "uses a shell script")
    void versionOfGoIsThatOfTheBuild() throws Exception {
        assertThat(ExperimentCommand.goVersion(directory)).isNull();
        Path go = Files.writeString(directory.resolve("go"), "#!/bin/sh\necho go version go1.26.8 linux/amd64\n");
        Files.setPosixFilePermissions(go, PosixFilePermissions.fromString("rwx------"));
        assertThat(ExperimentCommand.goVersion(directory)).isEqualTo("go1.26.8");
    }

    @Test
    void linkProgramsMeasureDelayOrGoodput() throws Exception {
        Peers peers = new Peers(options);
        Map<String, LinkRun.Flow> flows = new HashMap<>();
        for (Contender contender : peers.select(LossyLink.contenders())) {
            flows.put(contender.name(), LinkCommand.flow(peers, contender));
        }
        assertThat(command(flows, "ours fec 2:1", LinkKind.DELAY_50)).containsSubsequence("io.kcp.bench.KcpLoad", "server",
            "--work", "delay", "--mode", "MESSAGE", "--write-bytes", "200", "--fec", "2:1");
        assertThat(command(flows, "ours bbr", LinkKind.GOODPUT))
            .containsSubsequence("server", "--work", "sink", "--congestion-control", "BBR").doesNotContain("--mode", "--fec");
        assertThat(command(flows, "kcp-go fec 2:1", LinkKind.DELAY_50)).containsSubsequence("delay", "server", "--datashard", "2",
            "--parityshard", "1").doesNotContain("--work");
        assertThat(command(flows, "kcp-go", LinkKind.GOODPUT)).containsSubsequence("load", "server", "--work", "sink");
        assertThat(command(flows, "tcp bbr", LinkKind.DELAY_500)).containsSubsequence("-jar", "server", "--work", "delay",
            "--protocol", "tcp", "--congestion", "bbr");
    }

    private static List<String> command(Map<String, LinkRun.Flow> flows, String name, LinkKind kind) {
        LinkRun.Flow flow = flows.get(name);
        assertThat(flow).as(name).isNotNull();
        return flow.command(Peer.SERVER, kind, List.of());
    }

    @Test
    void scenariosReferToExistingContendersAndMetrics() {
        Set<String> names = new HashSet<>();
        for (Scenario scenario : Scenarios.all()) {
            assertThat(names.add(scenario.name())).as(scenario.name()).isTrue();
            List<String> contenders = scenario.contenders().stream().map(Contender::name).toList();
            List<String> peers = scenario.contenders().stream().map(Contender::peer).toList();
            assertThat(contenders).doesNotHaveDuplicates();
            for (Target target : scenario.targets()) {
                assertThat(contenders).as(scenario.name()).contains(target.whose());
                assertThat(Stream.concat(contenders.stream(), peers.stream())).as(scenario.name()).containsAll(target.against());
                assertThat(scenario.metrics()).as(scenario.name()).contains(target.metric());
            }
        }
    }

    @Test
    void otherKcpImplementationsRunWithBothWindows() {
        Scenario small = Scenarios.all().stream().filter(scenario -> scenario.name().equals("small")).findFirst().orElseThrow();
        assertThat(small.contenders()).extracting(Contender::name).contains("ours", "kcp-go window 1024", "kcp-go window 4096",
            "kcp-netty window 1024", "kcp-netty window 4096", "java-kcp window 1024", "java-kcp window 4096");
    }

    @Test
    void lostMessagesRemoveTheQuantilesTheyDetermine() {
        Map<Metric, Double> metrics = new HashMap<>(Map.of(Metric.LOST, 20.0, Metric.P50_US, 1.0, Metric.P90_US, 2.0, Metric.P99_US, 3.0,
            Metric.P999_US, 4.0, Metric.MAX_US, 5.0));
        LoadRun.removeUnknownQuantiles(metrics, 1_000);
        assertThat(metrics).containsOnlyKeys(Metric.LOST, Metric.P50_US, Metric.P90_US);
    }
}
