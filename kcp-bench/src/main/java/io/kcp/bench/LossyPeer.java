package io.kcp.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the programs of {@link LossyLink}.
 *
 * @param name    of the protocol or library
 * @param fec     parity that both ends send, or {@link #NO_FEC}
 * @param delay   what starts its delay programs, {@code server} or {@code client} follows
 * @param work    options that the delay programs have besides
 * @param load    what starts its load programs
 * @param options of all of them
 */
record LossyPeer(String name, String fec, List<String> delay, List<String> work, List<String> load, List<String> options) {

    static final String NO_FEC = "none";

    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m", "-Dio.netty.machineId=02:00:00:00:00:00:00:01");

    /** All of the page; {@code plain} has TCP and QUIC in it. */
    static List<LossyPeer> all(Path kcpGo, Path plain) {
        List<LossyPeer> peers = new ArrayList<>();
        for (String protocol : List.of("tcp", "tcp-bbr", "quic")) {
            peers.add(plain(protocol, plain));
        }
        for (String fec : List.of(NO_FEC, "10:3", "2:1")) {
            peers.add(kcpGo(fec, kcpGo.toAbsolutePath().toString()));
        }
        for (String fec : List.of(NO_FEC, "10:3", "2:1")) {
            peers.add(ours(fec));
        }
        return peers;
    }

    private static LossyPeer plain(String name, Path jar) {
        List<String> options = switch (name) {
            case "tcp" -> List.of("--protocol", "tcp", "--congestion", "cubic");
            case "tcp-bbr" -> List.of("--protocol", "tcp", "--congestion", "bbr");
            default -> List.of("--protocol", name);
        };
        List<String> program = java("-jar", jar.toAbsolutePath().toString());
        return new LossyPeer(name, NO_FEC, program, List.of("--work", "delay"), program, options);
    }

    private static LossyPeer kcpGo(String fec, String program) {
        List<String> options = new ArrayList<>();
        if (!fec.equals(NO_FEC)) {
            String[] shards = fec.split(":", 2);
            options.addAll(List.of("--datashard", shards[0], "--parityshard", shards[1]));
        }
        return new LossyPeer("kcp-go", fec, List.of(program, "delay"), List.of(), List.of(program, "load"), options);
    }

    private static LossyPeer ours(String fec) {
        String classPath = System.getProperty("java.class.path");
        return new LossyPeer("ours", fec, java("-cp", classPath, KcpDelay.class.getName()), List.of(),
            java("-cp", classPath, KcpLoad.class.getName()), fec.equals(NO_FEC) ? List.of() : List.of("--fec", fec));
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of(arguments));
        return command;
    }

    /** The name with its parity, as options of {@link LossyLink} have it. */
    String label() {
        return fec.equals(NO_FEC) ? name : name + '+' + fec;
    }
}
