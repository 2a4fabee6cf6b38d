package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Protocol or library that {@link LossyLink} measures.
 *
 * @param name         the protocol or library
 * @param fec          FEC shape of server and client, or {@link #NO_FEC}
 * @param delay        the program that measures delay
 * @param load         the program that measures goodput
 * @param options      options of both programs
 * @param delayOptions options that make the first program measure delay
 */
record LossyPeer(String name, String fec, Peer delay, Peer load, List<String> options, List<String> delayOptions) {

    static final String NO_FEC = "none";
    static final String TCP_CUBIC = "tcp-cubic";
    static final String TCP_BBR = "tcp-bbr";

    private static final List<String> FEC_SHAPES = List.of(NO_FEC, "10:3", "2:1");
    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m", "-Dio.netty.machineId=02:00:00:00:00:00:00:01");

    /** Returns all peers. The directory contains the programs of kcp-go, TCP and QUIC. */
    static List<LossyPeer> all(Path directory) {
        Path programs = directory.toAbsolutePath();
        List<LossyPeer> peers = new ArrayList<>(List.of(plain("tcp", Scenarios.TCP, programs, "--congestion", "cubic"),
            plain(TCP_BBR, Scenarios.TCP, programs, "--congestion", "bbr"), plain("quic", Scenarios.QUIC, programs)));
        FEC_SHAPES.forEach(fec -> peers.add(new LossyPeer(Scenarios.KCP_GO, fec, Peer.kcpGo("delay", programs),
            Peer.kcpGo("load", programs), List.of(), List.of())));
        Peer ours = Peer.ours(JVM_OPTIONS);
        FEC_SHAPES.forEach(fec -> peers.add(new LossyPeer(Scenarios.OURS, fec, ours, ours, List.of(),
            List.of("--work", "delay", "--mode", "MESSAGE", "--write-bytes", "200"))));
        return peers;
    }

    /** Returns the peers that {@link LinkComparison} compares, starting with this library. */
    static List<LossyPeer> congestionControls(Path directory) {
        Path programs = directory.toAbsolutePath();
        return List.of(load("ours-bbr", Peer.ours(JVM_OPTIONS), "--congestion-control", "BBR", "--window", "16384"),
            load("ours-auto", Peer.ours(JVM_OPTIONS), "--auto"), plain(TCP_CUBIC, Scenarios.TCP, programs, "--congestion", "cubic"),
            plain(TCP_BBR, Scenarios.TCP, programs, "--congestion", "bbr"), plain("quic", Scenarios.QUIC, programs),
            load("kcp-go-nc0", Peer.kcpGo("load", programs), "--nc", "0"),
            load("kcp-go-nc1", Peer.kcpGo("load", programs), "--nc", "1"));
    }

    private static LossyPeer load(String name, Peer program, String... options) {
        return new LossyPeer(name, NO_FEC, program, program, List.of(options), List.of());
    }

    private static LossyPeer plain(String name, String protocol, Path directory, String... options) {
        Peer program = Peer.plain(protocol, directory, JVM_OPTIONS);
        return new LossyPeer(name, NO_FEC, program, program, List.of(options), List.of("--work", "delay"));
    }

    /** Returns the name and FEC shape in the format of the {@code --peers} option of {@link LossyLink}. */
    String label() {
        return fec.equals(NO_FEC) ? name : name + '+' + fec;
    }

    /** Returns the command line of the server or the client. */
    List<String> command(String end, boolean measuresDelay, List<String> endOptions) {
        WireLayers layers = WireLayers.of("null", fec.equals(NO_FEC) ? null : fec);
        List<String> command = (measuresDelay ? delay : load).command(end, List.of(), endOptions, layers);
        command.addAll(options);
        command.addAll(measuresDelay ? delayOptions : List.of("--work", end.equals("server") ? "sink" : "source"));
        return command;
    }
}
