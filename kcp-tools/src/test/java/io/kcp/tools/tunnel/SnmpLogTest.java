package io.kcp.tools.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpListenerStats;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the CSV file of counters. */
@Timeout(60)
final class SnmpLogTest {

    private static final ZonedDateTime TIME = ZonedDateTime.of(2026, 3, 7, 14, 8, 9, 0, ZoneOffset.UTC);

    @ParameterizedTest
    @CsvSource({"snmp-20060102.log, snmp-20260307.log", "snmp.log, snmp.log", "2006-01-02T15:04:05, 2026-03-07T14:08:09",
        "Jan _2 06 3PM, Mar  7 26 2PM", "January Monday Mon 1/2, March Saturday Sat 3/7", "Janitor, Janitor", "002, 066",
        "03:04pm -0700, 02:08pm +0000", "'a''b{c', 'a''b{c'"})
    void formatsGoLayouts(String layout, String expected) {
        assertThat(GoTimeLayout.format(layout, TIME)).isEqualTo(expected);
    }

    @Test
    void appendsLinesInTheColumnsOfKcptun(@TempDir Path directory) throws Exception {
        String file = directory + "/snmp-200601.log";
        try (Target target = Target.echo(); TunnelPair tunnel = TunnelPair.start(target.address()); Socket socket = tunnel.connect()) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            SnmpLog.append(file, TIME, tunnel.server.collectStats().sync().getNow(), true);
            SnmpLog.append(file, TIME.plusMinutes(1), tunnel.client.collectStats().sync().getNow(), false);
        }
        List<String> lines = Files.readAllLines(directory.resolve("snmp-202603.log"));
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("Unix,BytesSent,BytesReceived,MaxConn,ActiveOpens,PassiveOpens,CurrEstab,InErrs,")
            .endsWith(",RingBufferSndBuffer,OOBPackets");
        List<String> columns = List.of(lines.get(0).split(","));
        assertThat(columns).hasSize(31);
        List<String> opens = new ArrayList<>();
        for (String line : lines.subList(1, 3)) {
            String[] values = line.split(",");
            assertThat(values).hasSize(31);
            assertThat(Long.parseLong(values[columns.indexOf("BytesSent")])).isPositive();
            assertThat(Long.parseLong(values[columns.indexOf("InPkts")])).isPositive();
            assertThat(values[columns.indexOf("CurrEstab")]).isEqualTo("1");
            opens.add(values[0] + ' ' + values[columns.indexOf("ActiveOpens")] + ' ' + values[columns.indexOf("PassiveOpens")]);
        }
        assertThat(opens).containsExactly(TIME.toEpochSecond() + " 0 1", TIME.toEpochSecond() + 60 + " 1 0");
    }

    @Test
    void columnsAndValuesHaveTheSameNumber(@TempDir Path directory) throws Exception {
        String file = directory.resolve("empty.log").toString();
        SnmpLog.append(file, TIME, KcpListenerStats.ZERO, true);
        assertThat(Files.readAllLines(Path.of(file)).get(1).split(",")).hasSize(SnmpLog.COLUMNS.size());
    }
}
