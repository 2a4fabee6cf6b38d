package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Datagrams that the kernel has discarded because the receive buffer of a socket was full.
 *
 * @param drops the number of datagrams, or 0 on systems other than Linux
 */
record SocketDrops(long drops) {

    private static final int LOCAL_ADDRESS_FIELD = 1;

    /** Returns the datagrams that were discarded at all UDP sockets that are bound to a port. */
    static SocketDrops ofPort(int port) {
        String suffix = String.format(":%04X", port);
        long drops = 0;
        for (String file : List.of("udp", "udp6")) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/net", file))) {
                drops += lines.skip(1).map(line -> line.strip().split("\\s+", -1))
                    .filter(fields -> fields[LOCAL_ADDRESS_FIELD].endsWith(suffix))
                    .mapToLong(fields -> Long.parseLong(fields[fields.length - 1])).sum();
            } catch (IOException unavailable) {
                // This system is not Linux or has no IPv6.
            }
        }
        return new SocketDrops(drops);
    }
}
