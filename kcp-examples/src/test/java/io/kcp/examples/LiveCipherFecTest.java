package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Exchanges two megabytes in both directions at the same time with two versions of kcp-go, over a link that loses 15 % in each
 * direction. Covers every cipher, and parity on both sides, with different shapes, or on one side only. By default a small set of
 * cells is run in which every cipher is combined with both roles and both versions, and every kind of cipher with every use of
 * parity. {@code -Dkcp.matrix=full} runs all cells.
 */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveCipherFecTest {

    private static final long BYTES = 2_000_000;
    private static final LinkConditions LOSSY = new LinkConditions(15, 10, 0, 0, 0);
    private static final String NEW = "kcppeer-5.6.72";
    private static final String OLD = "kcppeer-5.6.1";
    private static final List<String> WITH_CHECKSUM = List.of("none", "xor", "aes-128", "aes-192", "aes", "tea", "xtea",
        "blowfish", "twofish", "cast5", "3des", "salsa20", "sm4");
    private static final List<String> AEAD = List.of("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305");

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    /** The FEC shapes that the two sides send. */
    enum Parity {
        NO_PARITY(null, null),
        BOTH_10_3(new FecShape(10, 3), new FecShape(10, 3)),
        OURS_3_1_THEIRS_10_3(new FecShape(3, 1), new FecShape(10, 3)),
        ONLY_OURS_10_3(new FecShape(10, 3), null),
        ONLY_THEIRS_10_3(null, new FecShape(10, 3));

        private final @Nullable FecShape ours;
        private final @Nullable FecShape theirs;

        Parity(@Nullable FecShape ours, @Nullable FecShape theirs) {
            this.ours = ours;
            this.theirs = theirs;
        }
    }

    /** One combination of the test matrix. */
    record Cell(String peer, boolean peerIsServer, String cipher, Parity parity) {

        private String kind() {
            return AEAD.contains(cipher) ? "aead" : cipher.equals("null") ? "null" : "checksum";
        }

        /** Returns the pairs of features that this cell covers. */
        Set<String> pairs() {
            return Set.of(cipher + " as server? " + peerIsServer, cipher + ' ' + peer, kind() + ' ' + parity,
                parity + " as server? " + peerIsServer, parity + " " + peer);
        }

        @Override
        public String toString() {
            return (peerIsServer ? "Java client, server " + peer : "client " + peer + ", Java server") + ", " + cipher + ", "
                + parity.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    static Stream<Cell> cells() {
        return ("full".equals(System.getProperty("kcp.matrix")) ? allCells() : PairCover.choose(allCells(), Cell::pairs)).stream();
    }

    private static List<Cell> allCells() {
        List<Cell> cells = new ArrayList<>();
        for (String peer : List.of(NEW, OLD)) {
            List<String> ciphers = new ArrayList<>(List.of("null"));
            ciphers.addAll(WITH_CHECKSUM);
            if (peer.equals(NEW)) {
                ciphers.addAll(AEAD);
            }
            for (String cipher : ciphers) {
                for (boolean peerIsServer : new boolean[] {true, false}) {
                    for (Parity parity : Parity.values()) {
                        if (peer.equals(OLD) && parity.ours != null && !parity.ours.equals(parity.theirs)) {
                            // This version corrupts data when it has to detect a shape under loss, even between two of itself.
                            continue;
                        }
                        cells.add(new Cell(peer, peerIsServer, cipher, parity));
                    }
                }
            }
        }
        return cells;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cells")
    void dataArrivesInBothDirections(Cell cell) throws Exception {
        long startNanos = System.nanoTime();
        LiveExchange exchange = new LiveExchange(LOOPS.group(), cell.peer, cell.peerIsServer, KcpTransferMode.STREAM, BYTES).over(LOSSY)
            .cipher(cell.cipher).fec(cell.parity.ours, cell.parity.theirs);
        LiveExchange.Outcome outcome = exchange
            .run(KcpConfig.builder().noDelay(true, 10, 2, CongestionAlgorithm.NONE).windows(1024).mode(KcpTransferMode.STREAM).build());
        long weRecovered = outcome.ours().fec().recoveredShards();
        long theyRecovered = Long.parseLong(PeerProcess.field(outcome.theirs(), "FECRecovered"));
        System.out.printf("  %-75s %6.1f s, recovered here %d, there %d%n", cell, (System.nanoTime() - startNanos) / 1e9,
            weRecovered, theyRecovered);
        assertThat(weRecovered > 0).as("our decoder recovered %d", weRecovered).isEqualTo(cell.parity.theirs != null);
        // A kcp-go that sends no parity must first detect the shape, for which it needs a sequence without loss.
        if (cell.parity.ours == null || cell.parity.theirs != null) {
            assertThat(theyRecovered > 0).as("their decoder recovered %d", theyRecovered).isEqualTo(cell.parity.ours != null);
        }
        if (!exchange.isGarbledByPeer()) {
            assertThat(PeerProcess.field(outcome.theirs(), "InCsumErrors")).isEqualTo("0");
        }
    }

    /** kcp-go recovers datagrams although adaptive parity omits a part of the parity of each group. */
    @ParameterizedTest(name = "{0}, peer is the server: {1}")
    @CsvSource({NEW + ", true", NEW + ", false", OLD + ", true", OLD + ", false"})
    void adaptiveParityIsRecoveredByPeer(String peer, boolean peerIsServer) throws Exception {
        FecConfig adaptive = FecConfig.of(10, 3).adaptive(1, 6);
        LiveExchange.Outcome outcome = new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.STREAM, 2 * BYTES)
            .over(new LinkConditions(5, 10, 0, 0, 0)).fec(adaptive, adaptive.shape())
            .run(KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build());
        long theyRecovered = Long.parseLong(PeerProcess.field(outcome.theirs(), "FECRecovered"));
        System.out.printf("  %s, retransmissions %d, recovered here %d, there %d%n", peer,
            outcome.ours().counters().retransmissions(), outcome.ours().fec().recoveredShards(), theyRecovered);
        assertThat(theyRecovered).isPositive();
        assertThat(outcome.ours().fec().recoveredShards()).isPositive();
    }
}
