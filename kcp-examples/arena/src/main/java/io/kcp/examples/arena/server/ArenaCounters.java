package io.kcp.examples.arena.server;

import io.kcp.examples.arena.wire.DecodeProblem;
import io.kcp.examples.arena.wire.KickReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What a gateway did so far. All threads count. */
final class ArenaCounters {

    final LongAdder joined = new LongAdder();
    final LongAdder resumed = new LongAdder();
    final LongAdder inputs = new LongAdder();
    final LongAdder said = new LongAdder();
    final LongAdder heard = new LongAdder();
    final LongAdder snapshotsSent = new LongAdder();
    final LongAdder snapshotsSkipped = new LongAdder();
    final LongAdder outOfBandBytesOut = new LongAdder();
    final LongAdder outOfBandBytesIn = new LongAdder();
    private final Map<DecodeProblem, LongAdder> decodeProblems = new EnumMap<>(DecodeProblem.class);
    private final Map<KickReason, LongAdder> kicked = new EnumMap<>(KickReason.class);

    ArenaCounters() {
        for (DecodeProblem problem : DecodeProblem.values()) {
            decodeProblems.put(problem, new LongAdder());
        }
        for (KickReason reason : KickReason.values()) {
            kicked.put(reason, new LongAdder());
        }
    }

    void countProblem(DecodeProblem problem) {
        adder(decodeProblems, problem).increment();
    }

    void countKick(KickReason reason) {
        adder(kicked, reason).increment();
    }

    private static <E extends Enum<E>> LongAdder adder(Map<E, LongAdder> adders, E key) {
        LongAdder adder = adders.get(key);
        assert adder != null;
        return adder;
    }

    ArenaFigures figures(int rooms, int players) {
        return new ArenaFigures(rooms, players, joined.sum(), resumed.sum(), inputs.sum(), said.sum(), heard.sum(), snapshotsSent.sum(),
            snapshotsSkipped.sum(), outOfBandBytesOut.sum(), outOfBandBytesIn.sum(), sums(decodeProblems, DecodeProblem.class),
            sums(kicked, KickReason.class));
    }

    private static <E extends Enum<E>> Map<E, Long> sums(Map<E, LongAdder> adders, Class<E> type) {
        Map<E, Long> sums = new EnumMap<>(type);
        adders.forEach((key, adder) -> {
            if (adder.sum() > 0) {
                sums.put(key, adder.sum());
            }
        });
        return sums;
    }
}
