package io.kcp.examples;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Exchanges ten megabytes in both directions at the same time with two versions of kcp-go and with the C implementation, in both
 * roles, over a clean link and over one that loses a fifth in each direction and has a delay of 30 ms.
 */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LivePeerTest {

    private static final long BYTES = 10_000_000;

    private static final LinkConditions LOSSY = new LinkConditions(20, 30, 0, 0, 0);

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    /** One combination of the test matrix. */
    record Cell(String peer, boolean peerIsServer, KcpTransferMode mode, boolean lossy) {

        @Override
        public String toString() {
            return (peerIsServer ? "Java client, server " + peer : "client " + peer + ", Java server") + ", "
                + mode.name().toLowerCase(Locale.ROOT) + (lossy ? ", 20 % loss each way + 30 ms" : ", clean");
        }
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String peer : List.of("kcppeer-5.6.72", "kcppeer-5.6.1", "c")) {
            for (boolean peerIsServer : new boolean[] {true, false}) {
                for (KcpTransferMode mode : KcpTransferMode.values()) {
                    for (boolean lossy : new boolean[] {false, true}) {
                        cells.add(new Cell(peer, peerIsServer, mode, lossy));
                    }
                }
            }
        }
        return cells.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void dataArrivesInBothDirections(Cell cell) throws Exception {
        long startNanos = System.nanoTime();
        new LiveExchange(LOOPS.group(), cell.peer, cell.peerIsServer, cell.mode, BYTES)
            .over(cell.lossy ? LOSSY : LinkConditions.PERFECT)
            .run(KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(1024).mode(cell.mode).build());
        System.out.printf("  %-75s %6.1f s%n", cell, (System.nanoTime() - startNanos) / 1e9);
    }
}
