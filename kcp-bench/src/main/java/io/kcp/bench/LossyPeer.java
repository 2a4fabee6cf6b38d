package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Protocol or library that {@link LossyLink} measures.
 *
 * @param name    the protocol or library
 * @param fec     FEC shape of server and client, or {@link #NO_FEC}
 * @param delay   the program that measures delay; {@code server} or {@code client} follows on its command line
 * @param load    the program that measures goodput
 * @param work    options that make the first program measure delay
 * @param options options of both programs
 */
record LossyPeer(String name, String fec, List<String> delay, List<String> load, List<String> work, List<String> options) {

    static final String NO_FEC = "none";

    private static final List<String> FEC_SHAPES = List.of(NO_FEC, "10:3", "2:1");
    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m", "-Dio.netty.machineId=02:00:00:00:00:00:00:01");
    private static final List<String> DELAY_WORK = List.of("--work", "delay");

    /** Returns all peers. The JAR file {@code plain} contains the programs for TCP and QUIC. */
    static List<LossyPeer> all(Path kcpGo, Path plain) {
        List<LossyPeer> peers = new ArrayList<>(List.of(
            plain("tcp", plain, "--protocol", "tcp", "--congestion", "cubic"),
            plain("tcp-bbr", plain, "--protocol", "tcp", "--congestion", "bbr"),
            plain("quic", plain, "--protocol", "quic")));
        FEC_SHAPES.forEach(fec -> peers.add(kcpGo(fec, kcpGo.toAbsolutePath().toString())));
        FEC_SHAPES.forEach(fec -> peers.add(ours(fec)));
        return peers;
    }

    private static LossyPeer plain(String name, Path jar, String... options) {
        List<String> program = java("-jar", jar.toAbsolutePath().toString());
        return new LossyPeer(name, NO_FEC, program, program, DELAY_WORK, List.of(options));
    }

    private static LossyPeer kcpGo(String fec, String program) {
        return new LossyPeer("kcp-go", fec, List.of(program, "delay"), List.of(program, "load"), List.of(), layers(fec).kcpGoOptions());
    }

    private static LossyPeer ours(String fec) {
        List<String> program = java("-cp", System.getProperty("java.class.path"), KcpLoad.class.getName());
        return new LossyPeer("ours", fec, program, program, List.of("--work", "delay", "--mode", "MESSAGE", "--write-bytes", "200"),
            Stream.concat(Stream.of("--quiet"), layers(fec).loadOptions().stream()).toList());
    }

    private static WireLayers layers(String fec) {
        return WireLayers.of("null", fec.equals(NO_FEC) ? null : fec);
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(ChildProcess.java()));
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns the name and FEC shape in the format of the {@code --peers} option of {@link LossyLink}. */
    String label() {
        return fec.equals(NO_FEC) ? name : name + '+' + fec;
    }

    /** Returns the command line of the server or the client. */
    List<String> command(String end, boolean measuresDelay, List<String> endOptions) {
        List<String> command = new ArrayList<>(measuresDelay ? delay : load);
        command.add(end);
        command.addAll(endOptions);
        command.addAll(options);
        command.addAll(measuresDelay ? work : List.of("--work", end.equals("server") ? "sink" : "source"));
        return command;
    }
}
