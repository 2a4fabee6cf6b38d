package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.LeakCheck;
import io.kcp.core.LossModel;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveParityTest {

    private static final FecShape SHAPE = new FecShape(10, 3);
    private static final int ENOUGH_TO_CHANGE = 17_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    @ParameterizedTest
    @CsvSource({"0, 12:1", "1, 12:1", "10, 11:2", "20, 11:2", "50, 10:3", "100, 9:4", "120, 8:5", "200, 7:6", "1000, 7:6"})
    void parityFollowsLossWithinItsBounds(int lossPermille, String expected) {
        FecSender sender = new FecSender(leaks, FecConfig.of(SHAPE).adaptive(1, 6), 0);
        sender.encoder.onLossMeasured(lossPermille);
        send(sender, ENOUGH_TO_CHANGE);
        assertThat(sender.encoder.shape()).hasToString(expected);
    }

    @Test
    void theBinomialTailIsBelowOnePercent() {
        Random random = new Random(1);
        for (int permille : new int[] {5, 20, 50, 80, 110}) {
            FecSender sender = new FecSender(leaks, FecConfig.of(SHAPE).adaptive(1, 12), 0);
            sender.encoder.onLossMeasured(permille);
            send(sender, ENOUGH_TO_CHANGE);
            int parity = sender.encoder.shape().parityShards();
            int unrepaired = 0;
            for (int group = 0; group < 100_000; group++) {
                int lost = 0;
                for (int i = 0; i < 13; i++) {
                    lost += random.nextInt(1_000) < permille ? 1 : 0;
                }
                unrepaired += lost > parity ? 1 : 0;
            }
            assertThat(unrepaired).as("%d permille, %s", permille, sender.encoder.shape()).isLessThan(1_200);
        }
    }

    @Test
    void nothingChangesWithoutMeasurementWithoutBoundsOrSoon() {
        FecSender unmeasured = new FecSender(leaks, FecConfig.of(SHAPE).adaptive(1, 6), 0);
        send(unmeasured, ENOUGH_TO_CHANGE);
        assertThat(unmeasured.encoder.shape()).isEqualTo(SHAPE);

        FecSender fixed = new FecSender(leaks, FecConfig.of(SHAPE), 0);
        fixed.encoder.onLossMeasured(200);
        send(fixed, ENOUGH_TO_CHANGE);
        assertThat(fixed.encoder.shape()).isEqualTo(SHAPE);

        FecSender soon = new FecSender(leaks, FecConfig.of(SHAPE).adaptive(1, 6), 0);
        soon.encoder.onLossMeasured(200);
        send(soon, 10_000);
        assertThat(soon.encoder.shape()).isEqualTo(SHAPE);
        send(soon, 7_000);
        assertThat(soon.encoder.shape()).hasToString("7:6");
        soon.encoder.onLossMeasured(0);
        send(soon, 3_000);
        assertThat(soon.encoder.shape()).hasToString("7:6");
        send(soon, 10_000);
        assertThat(soon.encoder.shape()).hasToString("12:1");
    }

    @Test
    void parityIsNotTakenAwayWhereLittleMoreLossWouldNeedIt() {
        FecSender sender = new FecSender(leaks, FecConfig.of(SHAPE).adaptive(1, 6), 0);
        sender.encoder.onLossMeasured(30);
        send(sender, ENOUGH_TO_CHANGE);
        assertThat(sender.encoder.shape()).as("2 would do for 30").isEqualTo(SHAPE);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1_001})
    void impossibleLossIsRefused(int lossPermille) {
        FecSender sender = new FecSender(leaks, FecConfig.of(SHAPE), 0);
        assertThatThrownBy(() -> sender.encoder.onLossMeasured(lossPermille)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("lossPermille: " + lossPermille);
    }

    /** Groups begin where they did, and kcp-go's decoder, its defects included, recovers again. */
    @ParameterizedTest
    @CsvSource({"200, 0.01, 1000", "200, 0.03, 700", "200, 0.06, 700", "0, 0.01, 1000", "0, 0.06, 700"})
    void aKcpGoReceiverRecoversAgainAfterAChange(int measured, double loss, int datagramsAtMost) {
        for (int seed = 1; seed <= 5; seed++) {
            FecStream stream = new FecStream(leaks, 0, seed, FecConfig.of(SHAPE).adaptive(1, 6));
            stream.sender().encoder.onLossMeasured(measured);
            stream.send(25_000, 0);
            List<FecStream.Sent> sent = stream.sent();
            FecShape after = stream.sender().encoder.shape();
            assertThat(after).isNotEqualTo(SHAPE);
            int change = firstOf(sent, after);
            KcpGoFecReceiver receiver = new KcpGoFecReceiver(SHAPE);
            LossModel model = LossModel.independent(loss, seed);
            int again = -1;
            int recoveredBefore = 0;
            for (FecStream.Sent each : sent) {
                if (model.drops(Unpooled.EMPTY_BUFFER, 0)) {
                    continue;
                }
                int recovered = receiver.receive(each.bytes()).size();
                if (each.seqid() < change) {
                    recoveredBefore += recovered;
                } else if (again < 0 && receiver.shape().equals(after) && recovered > 0) {
                    again = each.seqid() - change;
                }
            }
            assertThat(recoveredBefore).as("seed %d", seed).isGreaterThan(50);
            assertThat(again).as("seed %d, datagrams until recovery", seed).isBetween(1, datagramsAtMost);
        }
    }

    @Test
    void ourReceiverFollowsWithinFewGroups() {
        FecStream stream = new FecStream(leaks, 0, 1, FecConfig.of(SHAPE).adaptive(1, 6));
        stream.sender().encoder.onLossMeasured(200);
        stream.send(25_000, 0);
        int change = firstOf(stream.sent(), new FecShape(7, 6));
        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(SHAPE), FecStream.CONV);
        int lost = 0;
        List<byte[]> recovered = new ArrayList<>();
        LossModel loss = LossModel.independent(0.1, 1);
        for (FecStream.Sent each : stream.sent()) {
            if (loss.drops(Unpooled.EMPTY_BUFFER, 0)) {
                if (each.isData()) {
                    lost++;
                }
            } else {
                recovered.addAll(receiver.receive(each.bytes(), each.seqid() < change ? 0 : 5_000));
            }
        }
        assertThat(receiver.stats().shapeChanges()).isEqualTo(1);
        assertThat(receiver.decoder.shape()).hasToString("7:6");
        assertThat(recovered.size()).isGreaterThan(lost * 90 / 100);
    }

    private static int firstOf(List<FecStream.Sent> sent, FecShape shape) {
        TreeMap<Integer, Integer> firstParityOf = new TreeMap<>();
        sent.stream().filter(each -> !each.isData())
            .forEach(each -> firstParityOf.merge(each.seqid() / 13, each.seqid() % 13, Math::min));
        return firstParityOf.entrySet().stream().filter(each -> each.getValue() == shape.dataShards()).findFirst().orElseThrow()
            .getKey() * 13;
    }

    private static void send(FecSender sender, int datagrams) {
        byte[] payload = new byte[24];
        for (int i = 0; i < datagrams; i++) {
            sender.send(payload, 0);
        }
    }
}
