package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how many lost datagrams FEC recovers (S21 of the scenario table). */
class ScenarioFecTest {

    private static final long BYTES = 1_000_000;
    private static final int LIMIT_MS = 120_000;
    private static final double LOSS = 0.10;
    private static final int BURST_IDLE_STEP_MS = 10;
    /** S21: minimum share of the recoverable datagrams of all runs that the decoder recovers. */
    private static final double S21_MIN_RECOVERED_PERCENT = 95;
    /**
     * Number of groups that may arrive before the decoder has verified the numbers of data and parity shards. A run has about 40
     * recoverable datagrams, so a loss in these groups may exceed 5 %. After them, every recoverable datagram must be recovered.
     */
    private static final int UNVERIFIED_GROUPS = 4;
    /** S21: share of the runs in which the losses of these groups delay the verification further. */
    private static final double S21_SHARE = 0.002;
    /** S21: datagrams that a run may fail to recover after these groups. */
    private static final int S21_WORST = 5;

    @ParameterizedTest
    @CsvSource({"10, 3, 1", "10, 3, 3", "10, 3, 10", "4, 2, 1", "4, 2, 3", "20, 10, 10", "2, 2, 3"})
    void nearlyAllRecoverableDatagramsAreRecovered(int dataShards, int parityShards, int meanBurst) {
        LinkProfile link = LinkProfile.broadband()
            .loss(seed -> meanBurst == 1 ? LossModel.independent(LOSS, seed) : LossModel.bursts(meanBurst, LOSS, BURST_IDLE_STEP_MS, seed))
            .build();
        FecConfig fec = FecConfig.of(dataShards, parityShards);
        Scenario scenario = Scenario.named("S21 " + dataShards + "+" + parityShards + ", 10 % lost in bursts of " + meanBurst)
            .only(Variant.FEC, Variant.FEC_AND_CIPHER).allowShareAbove("not recovered after the first groups", 0, S21_SHARE, S21_WORST);
        long[] recoveredAndRecoverable = new long[2];
        scenario.afterEachVariant(() -> {
            double percent = 100.0 * recoveredAndRecoverable[0] / recoveredAndRecoverable[1];
            Arrays.fill(recoveredAndRecoverable, 0);
            assertThat(percent).as("recovered % of all runs").isGreaterThanOrEqualTo(S21_MIN_RECOVERED_PERCENT);
        });
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).fec(fec).configs(KcpConfig.fast()).links(link).build()) {
                RecoverableShards recoverable = new RecoverableShards(fec);
                pair.linkFromA().addObserver((datagram, fate, nowUs) -> recoverable.onSent(scenario.variant().decrypt(datagram), fate));
                pair.sendFromA(BYTES);
                scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
                scenario.record("lost", recoverable.lost());
                long recovered = pair.b().fecStats().recoveredShards();
                scenario.record("recovered", recovered);
                scenario.record("recovered %", 100.0 * recovered / Math.max(1, recoverable.count()));
                recoveredAndRecoverable[0] += recovered;
                recoveredAndRecoverable[1] += recoverable.count();
                scenario.record("not recovered after the first groups",
                    Math.max(0, recoverable.count() - recovered - recoverable.countOfFirst(UNVERIFIED_GROUPS)));
                scenario.assertAtMost("failed", pair.b().fecStats().failedReconstructions(), 0);
            }
        });
    }

    /** Counts the lost data shards in groups of which enough shards arrive. */
    private static final class RecoverableShards {

        private final FecConfig fec;
        private final Map<Integer, int[]> lostAndArrived = new TreeMap<>(Integer::compareUnsigned);

        private RecoverableShards(FecConfig fec) {
            this.fec = fec;
        }

        private void onSent(ByteBuf datagram, LinkFate fate) {
            if (!FecHeader.isPresent(datagram)) {
                return;
            }
            int seqid = FecHeader.seqid(datagram, datagram.readerIndex());
            int[] group = lostAndArrived.computeIfAbsent(Integer.divideUnsigned(seqid, fec.shape().totalShards()), key -> new int[2]);
            if (fate.arrives()) {
                group[1]++;
            } else if (FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_DATA) {
                group[0]++;
            }
        }

        private int lost() {
            return lostAndArrived.values().stream().mapToInt(group -> group[0]).sum();
        }

        private int count() {
            return countOfFirst(Integer.MAX_VALUE);
        }

        /** Returns the number of recoverable data shards in the first groups. */
        private int countOfFirst(int groups) {
            return lostAndArrived.values().stream().limit(groups)
                .filter(group -> group[1] >= fec.shape().dataShards()).mapToInt(group -> group[0]).sum();
        }
    }
}
