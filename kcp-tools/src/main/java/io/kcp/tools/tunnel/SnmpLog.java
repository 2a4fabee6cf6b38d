package io.kcp.tools.tunnel;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpListenerStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Appends a line with all counters to a CSV file in each period, as {@code --snmplog} of kcptun does. The columns are those of
 * kcp-go. The columns of counters that this library does not have contain 0: InErrs, FECShardMin, RingBufferRcvQueue,
 * RingBufferSndBuffer and OOBPackets.
 */
final class SnmpLog {

    static final List<String> COLUMNS = List.of("Unix", "BytesSent", "BytesReceived", "MaxConn", "ActiveOpens", "PassiveOpens", "CurrEstab",
        "InErrs", "InCsumErrors", "KCPInErrors", "InPkts", "OutPkts", "InSegs", "OutSegs", "InBytes", "OutBytes", "RetransSegs",
        "FastRetransSegs", "EarlyRetransSegs", "LostSegs", "RepeatSegs", "FECFullShards", "FECParityShards", "FECErrs", "FECRecovered",
        "FECShardSet", "FECShardMin", "RingBufferSndQueue", "RingBufferRcvQueue", "RingBufferSndBuffer", "OOBPackets");

    private SnmpLog() {
    }

    /** Starts a thread that writes the file. Does nothing if the options contain no file. */
    static void start(TunnelOptions options, RunningTunnel tunnel, TunnelLog log) {
        String file = options.snmpLog();
        if (file == null) {
            return;
        }
        boolean isServer = tunnel instanceof ServerTunnel;
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "snmplog");
            thread.setDaemon(true);
            return thread;
        });
        int period = options.snmpPeriodSeconds();
        timer.scheduleAtFixedRate(() -> {
            var collection = tunnel.collectStats().awaitUninterruptibly();
            if (!collection.isSuccess()) {
                return;
            }
            try {
                append(file, ZonedDateTime.now(ZoneId.systemDefault()), collection.getNow(), isServer);
            } catch (IOException | RuntimeException failed) {
                log.info("cannot write " + file + ": " + failed);
            }
        }, period, period, TimeUnit.SECONDS);
    }

    /** Appends a line, and the names of the columns before the first line of a file. Only the file name may contain a time format. */
    static void append(String file, ZonedDateTime time, KcpListenerStats stats, boolean isServer) throws IOException {
        int nameStart = file.lastIndexOf('/') + 1;
        Path path = Path.of(file.substring(0, nameStart) + GoTimeLayout.format(file.substring(nameStart), time));
        boolean isEmpty = !Files.exists(path) || Files.size(path) == 0;
        String values = Arrays.stream(values(time.toEpochSecond(), stats, isServer)).mapToObj(Long::toString)
            .collect(Collectors.joining(","));
        Files.writeString(path, (isEmpty ? String.join(",", COLUMNS) + '\n' : "") + values + '\n', StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
    }

    private static long[] values(long unixSeconds, KcpListenerStats stats, boolean isServer) {
        KcpStats kcp = stats.sessions();
        FecStats fec = stats.fec();
        long activeOpens = isServer ? 0 : stats.openedSessions();
        return new long[] {unixSeconds, kcp.bytesSent(), kcp.bytesReceived(), stats.maxSessions(), activeOpens,
            stats.openedSessions() - activeOpens, stats.activeSessions(), 0, stats.dropped().getOrDefault(DropReason.DECRYPTION_FAILED, 0L),
            kcp.datagramErrors(), kcp.datagramsIn(), kcp.datagramsOut(), kcp.segmentsIn(), kcp.segmentsOut(), kcp.wireBytesIn(),
            kcp.wireBytesOut(), kcp.retransmissions(), kcp.fastRetransmissions(), kcp.earlyRetransmissions(), kcp.timeoutRetransmissions(),
            kcp.repeatedSegments(), fec.fullGroups(), fec.parityShards(), fec.failedReconstructions(), fec.recoveredShards(),
            fec.groupsHeld(), 0, stats.open().waitingSegments(), 0, 0, 0};
    }
}
