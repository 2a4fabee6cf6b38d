package io.kcp.examples;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Markdown table of the results of the whole matrix of tunnels. */
final class TunnelTable {

    private TunnelTable() {
    }

    /** Returns one row per cipher. Each cell has a result for Debian's kcptun and one for the current version. */
    static String of(Map<TunnelCell, Boolean> outcomes) {
        StringBuilder text = new StringBuilder("| `--crypt` |");
        List<Predicate<TunnelCell>> columns = new ArrayList<>();
        for (boolean parity : new boolean[] {false, true}) {
            for (int smuxVersion = 1; smuxVersion <= 2; smuxVersion++) {
                int version = smuxVersion;
                columns.add(cell -> cell.parity() == parity && cell.smuxVersion() == version);
                text.append(parity ? " FEC 10+3" : " no FEC").append(", smux ").append(version).append(" |");
            }
        }
        text.append("\n|---").append("|---".repeat(columns.size())).append("|\n");
        Set<String> ciphers = new LinkedHashSet<>();
        outcomes.keySet().forEach(cell -> ciphers.add(cell.cipher()));
        for (String cipher : ciphers) {
            text.append("| `").append(cipher).append("` |");
            for (Predicate<TunnelCell> column : columns) {
                for (TunnelProgram peer : List.of(TunnelProgram.DEBIAN, TunnelProgram.CURRENT)) {
                    text.append(' ').append(result(outcomes, column.and(cell -> cell.cipher().equals(cipher) && cell.peer() == peer)));
                }
                text.append(" |");
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** Returns {@code =} if all selected cells were successful, the numbers of successful and of all cells otherwise. */
    private static String result(Map<TunnelCell, Boolean> outcomes, Predicate<TunnelCell> selected) {
        List<Boolean> results = outcomes.keySet().stream().filter(selected).map(outcomes::get).toList();
        long successful = results.stream().filter(result -> result).count();
        return results.isEmpty() ? "–" : successful == results.size() ? "=" : successful + "/" + results.size();
    }
}
