package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests how soon lost messages of a slow session arrive if its FEC groups (3+1) fill only after 100 ms (S24). */
class ScenarioTrickleTest {

    private static final int MESSAGES = Integer.getInteger("kcp.messages", 2_000);
    private static final int MESSAGE_BYTES = 200;
    private static final int INTERVAL_MS = 50;
    private static final int ONE_WAY_MS = 25;
    private static final int REPAIRED_WITHIN_MS = 20;
    private static final double MIN_REPAIRED_PERCENT = 95;
    private static final LinkProfile LINK = LinkProfile.broadband().lossProbability(0.05).build();
    private static final KcpConfig PLAIN = KcpConfig.fast3();
    private static final KcpConfig DELAYED_COPIES = PLAIN.toBuilder().redundancy(Redundancy.ON).redundancyDelayMs(10).build();

    @Test
    void singleLossesAreRepairedWithinTwentyMilliseconds() {
        Scenario scenario = Scenario.named("S24 20 messages a second, FEC 3+1, 5 % lost").only(Variant.FEC, Variant.FEC_AND_CIPHER);
        scenario.forEachSeed(seed -> {
            Result without = run(scenario, seed, PLAIN);
            Result with = run(scenario, seed, DELAYED_COPIES);
            scenario.record("repaired without, %", without.repairedPercent);
            scenario.record("p99 without, ms", without.p99Ms);
            scenario.record("p99, ms", with.p99Ms);
            scenario.record("datagrams per message without", (double) without.datagrams / MESSAGES);
            scenario.record("datagrams per message", (double) with.datagrams / MESSAGES);
            scenario.assertAtLeast("repaired, %", with.repairedPercent, MIN_REPAIRED_PERCENT);
            assertThat(with.losses).isPositive();
        });
    }

    private static Result run(Scenario scenario, long seed, KcpConfig config) {
        try (KcpPair pair = scenario.pair(seed).fec(FecConfig.of(3, 1)).configs(config, PLAIN).links(LINK).build()) {
            FirstTransmissions first = new FirstTransmissions(scenario);
            pair.linkFromA().addObserver((datagram, fate, nowUs) -> first.onSent(datagram, fate));
            pair.sendPeriodicallyFromA(TransferPlan.ofMessages(seed, MESSAGES, MESSAGE_BYTES), INTERVAL_MS);
            pair.assertCompletes(MESSAGES * INTERVAL_MS * 2L);
            long[] timesUs = pair.b().application().deliveryTimesUs();
            int losses = 0;
            int repaired = 0;
            for (int message = 0; message < timesUs.length; message++) {
                if (first.isSingleLoss(message)) {
                    losses++;
                    repaired += timesUs[message] <= (ONE_WAY_MS + REPAIRED_WITHIN_MS) * 1_000 ? 1 : 0;
                }
            }
            Arrays.sort(timesUs);
            return new Result(losses, 100.0 * repaired / losses, timesUs[timesUs.length * 99 / 100] / 1_000.0, pair.a().sent().datagrams());
        }
    }

    private record Result(int losses, double repairedPercent, double p99Ms, long datagrams) {
    }

    /** Records for each message whether the first datagram that contains it was lost although the next two datagrams arrived. */
    private static final class FirstTransmissions {

        private final Scenario scenario;
        private final Map<Integer, Integer> datagramOfMessage = new HashMap<>();
        private final Map<Integer, Boolean> arrived = new HashMap<>();
        private int datagrams;
        private int messages;
        private int firstSn;

        private FirstTransmissions(Scenario scenario) {
            this.scenario = scenario;
        }

        private void onSent(ByteBuf datagram, LinkFate fate) {
            ByteBuf segments = scenario.variant().segments(datagram);
            arrived.put(datagrams, fate.arrives());
            int offset = segments.readerIndex();
            while (segments.writerIndex() - offset >= SegmentHeader.LENGTH) {
                int len = (int) SegmentHeader.len(segments, offset);
                if (SegmentHeader.cmd(segments, offset) == SegmentHeader.CMD_PUSH && len > 0) {
                    int sn = SegmentHeader.sn(segments, offset);
                    firstSn = messages == 0 ? sn : firstSn;
                    if (sn - firstSn == messages) {
                        datagramOfMessage.put(messages++, datagrams);
                    }
                }
                offset += SegmentHeader.LENGTH + len;
            }
            datagrams++;
        }

        private boolean isSingleLoss(int message) {
            int datagram = datagramOfMessage.get(message);
            return !arrived.get(datagram) && arrived.getOrDefault(datagram + 1, true) && arrived.getOrDefault(datagram + 2, true);
        }
    }
}
