package io.kcp.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@link LossyLink} wrote: rows of one peer, loss and kind each. */
final class LossyRows {

    private static final String NO_FEC = LossyPeer.NO_FEC;

    private final List<Map<?, ?>> rows;

    private LossyRows(List<Map<?, ?>> rows) {
        this.rows = rows;
    }

    static LossyRows read(Path path) {
        try {
            return new LossyRows(Results.objects(Json.parse(Files.readString(path))));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** {@code delay-50} and the like, {@code goodput}. */
    List<String> kinds() {
        return rows.stream().map(row -> Results.text(row.get("kind"))).distinct().toList();
    }

    /** The losses of a kind, in percent. */
    List<String> losses(String kind) {
        return new ArrayList<>(byLoss(kind).values());
    }

    private Map<Double, String> byLoss(String kind) {
        Map<Double, String> losses = new TreeMap<>();
        for (Map<?, ?> row : rows) {
            if (kind.equals(Results.text(row.get("kind")))) {
                double percent = Results.number(row.get("loss_percent"));
                losses.put(percent, Json.number(percent) + " %");
            }
        }
        return losses;
    }

    /** One figure of a kind by peer, a value for each loss. */
    List<Series> series(String kind, String figure) {
        List<Double> losses = new ArrayList<>(byLoss(kind).keySet());
        Map<String, List<Double>> byPeer = new LinkedHashMap<>();
        for (Map<?, ?> row : rows) {
            if (kind.equals(Results.text(row.get("kind")))) {
                byPeer.computeIfAbsent(label(row), any -> new ArrayList<>(Collections.nCopies(losses.size(), Double.NaN)))
                    .set(losses.indexOf(Results.number(row.get("loss_percent"))), Results.number(row.get(figure)));
            }
        }
        return byPeer.entrySet().stream().map(entry -> Series.of(entry.getKey(), entry.getValue())).toList();
    }

    private static String label(Map<?, ?> row) {
        String fec = Results.text(row.get("fec"));
        return Results.text(row.get("peer")) + (fec.isEmpty() || fec.equals(NO_FEC) ? "" : " + FEC " + fec);
    }

    /** Round trip of the link, as text. */
    String roundTrip() {
        return rows.isEmpty() ? "" : Results.text(rows.get(0).get("rtt_ms")) + " ms";
    }
}
