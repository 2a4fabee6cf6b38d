package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.conversation.LeakCheck;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveParityTest {

    private static final FecConfig CONFIG = FecConfig.of(new FecShape(10, 3)).adaptive(1, 6);
    private static final int DATA_OF_FULL_GROUPS = 10 * AdaptiveParity.FULL_GROUPS;
    private static final int DATA_UNTIL_CHECK = 10 * AdaptiveParity.GROUPS_PER_CHECK;
    private static final int MS_PER_DATAGRAM = 4;
    /** Data shards that are sent in the longest period between two checks for a reduction. */
    private static final int DATA_UNTIL_REDUCTION = 10 * (AdaptiveParity.REDUCTION_GROUPS + AdaptiveParity.GROUPS_PER_CHECK);

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    private int nowMs;

    /** Sends the given number of data shards and returns the number of parity shards of the last group. */
    private int parityAfter(FecSender sender, int dataShards) {
        byte[] payload = new byte[24];
        int parity = 0;
        for (int i = 0; i < dataShards; i++) {
            nowMs += MS_PER_DATAGRAM;
            int out = sender.send(payload, nowMs).size();
            parity = out > 1 ? out - 1 : parity;
        }
        return parity;
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "10, 1", "20, 2", "50, 3", "100, 5", "120, 5", "200, 6", "1000, 6"})
    void parityFollowsLossWithinItsBounds(int lossPermille, int expected) {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        parityAfter(sender, DATA_OF_FULL_GROUPS);
        sender.encoder.onLossMeasured(lossPermille);
        assertThat(parityAfter(sender, 2 * DATA_UNTIL_REDUCTION)).isEqualTo(expected);
    }

    @Test
    void shapeHasTheMaximumParityAndNeverChanges() {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        for (int loss : new int[] {0, 300, 20, 100}) {
            sender.encoder.onLossMeasured(loss);
            parityAfter(sender, DATA_UNTIL_REDUCTION);
            assertThat(sender.encoder.shape()).hasToString("10:6");
        }
        assertThat(sender.encoder.paritySkipped()).isPositive();
    }

    @Test
    void initialGroupsHaveFullParity() {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        sender.encoder.onLossMeasured(0);
        assertThat(parityAfter(sender, DATA_OF_FULL_GROUPS)).isEqualTo(6);
        FecSender unmeasured = new FecSender(leaks, CONFIG, 0);
        parityAfter(unmeasured, DATA_OF_FULL_GROUPS);
        assertThat(parityAfter(unmeasured, 2 * DATA_UNTIL_REDUCTION)).isEqualTo(3);
    }

    @Test
    void parityGrowsSoonAndShrinksSlowly() {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        parityAfter(sender, DATA_OF_FULL_GROUPS);
        sender.encoder.onLossMeasured(200);
        assertThat(parityAfter(sender, DATA_UNTIL_CHECK)).isEqualTo(6);
        sender.encoder.onLossMeasured(0);
        assertThat(parityAfter(sender, 10 * (AdaptiveParity.REDUCTION_GROUPS - AdaptiveParity.GROUPS_PER_CHECK))).isEqualTo(6);
        assertThat(parityAfter(sender, 2 * DATA_UNTIL_REDUCTION)).isEqualTo(1);
        sender.encoder.onLossMeasured(200);
        assertThat(parityAfter(sender, DATA_UNTIL_CHECK)).isEqualTo(6);
    }

    @Test
    void repeatedIncreasesAreTwoSecondsApart() {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        parityAfter(sender, DATA_OF_FULL_GROUPS);
        sender.encoder.onLossMeasured(80);
        assertThat(parityAfter(sender, DATA_UNTIL_CHECK)).isEqualTo(4);
        sender.encoder.onLossMeasured(200);
        assertThat(parityAfter(sender, AdaptiveParity.INCREASE_INTERVAL_MS / MS_PER_DATAGRAM - DATA_UNTIL_CHECK)).isEqualTo(4);
        assertThat(parityAfter(sender, 2 * DATA_UNTIL_CHECK)).isEqualTo(6);
    }

    /** A rate between the requirements of two numbers of parity shards does not change the number back and forth. */
    @Test
    void slightlyVaryingLossDoesNotChangeParity() {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        parityAfter(sender, DATA_OF_FULL_GROUPS);
        sender.encoder.onLossMeasured(75);
        assertThat(parityAfter(sender, DATA_UNTIL_CHECK)).isEqualTo(4);
        for (int i = 0; i < 10; i++) {
            sender.encoder.onLossMeasured(65);
            assertThat(parityAfter(sender, DATA_UNTIL_REDUCTION)).isEqualTo(4);
            sender.encoder.onLossMeasured(75);
            assertThat(parityAfter(sender, DATA_UNTIL_REDUCTION)).isEqualTo(4);
        }
    }

    /** With one data shard in a group, only the losses that parity does not recover are known. */
    @ParameterizedTest
    @CsvSource({"0.0, 1", "0.05, 1", "0.2, 2", "0.3, 3"})
    void retransmissionsDetermineParityOfSmallGroups(double loss, int expected) {
        FecSender sender = new FecSender(leaks, FecConfig.of(new FecShape(1, 2)).adaptive(1, 6), 0);
        assertThat(sender.encoder.arrivals()).isNull();
        int parity = parityAfter(sender, AdaptiveParity.FULL_GROUPS + 1);
        int changes = 0;
        for (int second = 0; second < 120; second++) {
            sender.encoder.onRetransmissionsMeasured((int) (1_000 * Math.pow(loss, 1 + parity)));
            int next = parityAfter(sender, 1_000 / MS_PER_DATAGRAM);
            changes += next == parity ? 0 : 1;
            parity = next;
        }
        assertThat(parity).isEqualTo(expected);
        assertThat(changes).isLessThanOrEqualTo(2);
    }

    @Test
    void unrecoverableGroupsAreBelowOnePercent() {
        long seed = 1;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int permille : new int[] {5, 20, 50, 80, 110}) {
            FecSender sender = new FecSender(leaks, FecConfig.of(new FecShape(10, 1)).adaptive(1, 12), 0);
            parityAfter(sender, DATA_OF_FULL_GROUPS);
            sender.encoder.onLossMeasured(permille);
            int parity = parityAfter(sender, DATA_UNTIL_CHECK);
            int unrepaired = 0;
            for (int group = 0; group < 100_000; group++) {
                int lost = 0;
                for (int i = 0; i < 10 + parity; i++) {
                    lost += random.nextInt(1_000) < permille ? 1 : 0;
                }
                unrepaired += lost > parity ? 1 : 0;
            }
            assertThat(unrepaired).as("%d permille, %d parity", permille, parity).isLessThan(1_200);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1_001})
    void invalidLossIsRejected(int lossPermille) {
        FecSender sender = new FecSender(leaks, CONFIG, 0);
        assertThatThrownBy(() -> sender.encoder.onLossMeasured(lossPermille)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("lossPermille: " + lossPermille);
    }

    private void sendFor12Seconds(FecStream stream) {
        for (int i = 0; i < 30; i++) {
            nowMs += 400;
            stream.send(100, nowMs);
        }
    }

    /** Because the shape never changes, even the defects of kcp-go neither stop recovery nor recover garbage. */
    @ParameterizedTest
    @CsvSource({"0.01", "0.03", "0.06"})
    @Tag("slow")
    void kcpGoReceiverRecoversOnlySentDatagrams(double loss) {
        for (int seed = 1; seed <= 5; seed++) {
            FecStream stream = new FecStream(leaks, 0, seed, CONFIG);
            for (int measured : new int[] {20, 200, 0, 50, 0}) {
                stream.sender().encoder.onLossMeasured(measured);
                sendFor12Seconds(stream);
            }
            KcpGoFecReceiver receiver = new KcpGoFecReceiver(new FecShape(10, 6));
            ShardLoss model = ShardLoss.independent(loss, seed);
            Set<String> sent = new HashSet<>();
            int lostData = 0;
            int recovered = 0;
            for (FecStream.Sent each : stream.sent()) {
                if (each.isData()) {
                    sent.add(HexFormat.of().formatHex(each.payload()));
                }
                if (model.losesNext()) {
                    lostData += each.isData() ? 1 : 0;
                    continue;
                }
                for (byte[] shard : receiver.receive(each.bytes())) {
                    int size = (shard[0] & 0xff | (shard[1] & 0xff) << 8) - 2;
                    assertThat(sent).as("seed %d", seed).contains(HexFormat.of().formatHex(shard, 2, 2 + size));
                    recovered++;
                }
            }
            assertThat(recovered).as("seed %d, of %d lost", seed, lostData).isGreaterThan(lostData * 80 / 100);
        }
    }

    @Test
    void ourReceiverDetectsTheShapeAndRecovers() {
        FecStream stream = new FecStream(leaks, 0, 1, CONFIG);
        for (int measured : new int[] {20, 200, 0, 50, 0}) {
            stream.sender().encoder.onLossMeasured(measured);
            sendFor12Seconds(stream);
        }
        FecReceiver receiver = new FecReceiver(leaks, null, FecStream.CONV);
        ShardLoss loss = ShardLoss.independent(0.05, 1);
        int lost = 0;
        int recovered = 0;
        for (FecStream.Sent each : stream.sent()) {
            if (loss.losesNext()) {
                lost += each.isData() ? 1 : 0;
            } else {
                List<byte[]> out = receiver.receive(each.bytes());
                recovered += out.size();
            }
        }
        assertThat(receiver.decoder.shape()).hasToString("10:6");
        assertThat(receiver.stats().shapeChanges()).isEqualTo(1);
        assertThat(recovered).as("of %d", lost).isGreaterThan(lost * 80 / 100);
    }
}
