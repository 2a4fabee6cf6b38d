package io.kcp.bench.experiment;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Compares the tunnel of {@code kcp-tools} with kcptun. Server and client of a tunnel are separate processes connected over 127.0.0.1.
 * A target writes random bytes to one connection through the tunnel as fast as possible. All tunnels use mode fast3 and windows of 1,024.
 * {@code mvn -q -Pbench -Ptools -DskipTests -pl kcp-bench,kcp-tools -am package} builds our tunnel.
 */
@Command(name = "tunnel", mixinStandardHelpOptions = true, description = "Compares the tunnel of this library with kcptun.")
final class Tunnel extends ExperimentCommand {

    private static final double KIB = 1024;
    private static final TunnelSettings IDLE_SETTINGS = new TunnelSettings("aes", true, true, 2);

    @Option(names = "--settings", split = ",", converter = TunnelSettings.Converter.class,
        defaultValue = "none,aes-128-gcm,aes,salsa20,none+smux1,none+comp,none+fec,aes+fec+comp",
        description = "combinations CIPHER[+fec][+comp][+smux1] (${DEFAULT-VALUE})")
    List<TunnelSettings> settings = List.of();

    @Option(names = "--idle", defaultValue = "0",
        description = "measure the memory of this number of idle streams instead of throughput (${DEFAULT-VALUE})")
    int idleStreams;

    @Option(names = "--settle", defaultValue = "5", description = "seconds to wait before memory is measured (${DEFAULT-VALUE})")
    double settleSeconds;

    @Option(names = "--tunnel", defaultValue = "kcp-tools/target/kcp.jar", description = "our tunnel (${DEFAULT-VALUE})")
    Path tunnelJar = Path.of("");

    Tunnel() {
        super(new RunOptions(5, 3, 10));
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        List<TunnelPeer> all = TunnelPeer.all(tunnelJar, run);
        Peers.check(run, all.stream().map(peer -> Contender.of(peer.name())).toList(), spec.commandLine());
        List<Cell> cells = new ArrayList<>();
        for (TunnelPeer peer : all) {
            boolean ours = peer.name().equals(Peer.OURS) || peer.name().equals(Peer.BEFORE);
            if (!peer.isInstalled()) {
                System.err.println("skipping " + peer.name() + ": " + peer.file() + " is missing");
            } else if (ours || run.peers == null || run.peers.contains(peer.name())) {
                addCells(cells, peer);
            }
        }
        return cells;
    }

    private void addCells(List<Cell> cells, TunnelPeer peer) {
        Contender contender = Contender.of(peer.name());
        if (idleStreams > 0) {
            cells.add(Cell.of(contender, List.of(Metric.KIB_STREAM, Metric.RESIDENT_MIB), round -> memory(peer), "idle_streams",
                Integer.toString(idleStreams)));
            return;
        }
        for (TunnelSettings combination : settings) {
            if (peer.supports(combination)) {
                cells.add(Cell.of(contender, List.of(Metric.MB_S, Metric.CPU_MS_MB), round -> {
                    try (TunnelRun tunnel = new TunnelRun(peer, combination, true)) {
                        return tunnel.measure(run.warmupSeconds, run.seconds);
                    }
                }, "layers", combination.toString()));
            }
        }
    }

    private Map<Metric, Double> memory(TunnelPeer peer) throws IOException, InterruptedException {
        List<Socket> streams = new ArrayList<>();
        try (TunnelRun tunnel = new TunnelRun(peer, IDLE_SETTINGS, false)) {
            streams.add(tunnel.connect());
            EchoClients.sleep(settleSeconds);
            long oneStream = tunnel.residentBytes();
            while (streams.size() <= idleStreams) {
                streams.add(tunnel.connect());
            }
            EchoClients.sleep(settleSeconds);
            long allStreams = tunnel.residentBytes();
            return Map.of(Metric.KIB_STREAM, (allStreams - oneStream) / KIB / idleStreams, Metric.RESIDENT_MIB,
                allStreams / KIB / KIB);
        } finally {
            for (Socket stream : streams) {
                stream.close();
            }
        }
    }
}
