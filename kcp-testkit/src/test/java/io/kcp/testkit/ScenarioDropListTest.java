package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the loss of the first datagrams of each kind, and of each pair of kinds (S13 of the scenario table). */
class ScenarioDropListTest {

    /** S13: maximum number of lost datagrams of each kind. */
    private static final int S13_MAX_DROPS = 6;
    /** A small window, so that a paused reader closes it and both kinds of probes are needed. */
    private static final int WINDOW_SEGMENTS = 8;
    private static final int PAUSE_MS = 8_000;
    private static final int BYTES = 40_000;
    private static final int LIMIT_MS = 300_000;

    @ParameterizedTest
    @EnumSource
    void firstOfAnyTwoKindsMayBeLost(KcpTransferMode mode) {
        // Without a dead-peer timeout, because it would end runs in which ten consecutive probes and responses are lost.
        KcpConfig config = KcpConfig.fast().toBuilder().mode(mode).windows(WINDOW_SEGMENTS).deadPeerTimeoutMs(120_000).build();
        Kind[] kinds = Kind.values();
        Scenario scenario = Scenario.named("S13 drop lists, all pairs of kinds with 0 to 6 losses each, " + mode);
        // Only the contents are random, so one seed is enough.
        scenario.forSomeSeeds(Integer.MAX_VALUE, seed -> {
            for (int first = 0; first < kinds.length; first++) {
                for (int second = first + 1; second < kinds.length; second++) {
                    for (int firstDrops = 0; firstDrops <= S13_MAX_DROPS; firstDrops++) {
                        for (int secondDrops = 0; secondDrops <= S13_MAX_DROPS; secondDrops++) {
                            transfer(scenario, config, seed, kinds[first], firstDrops, kinds[second], secondDrops);
                        }
                    }
                }
            }
        });
    }

    private static void transfer(Scenario scenario, KcpConfig config, long seed, Kind first, int firstDrops, Kind second,
        int secondDrops) {
        LinkProfile link = LinkProfile.broadband()
            .loss(ignored -> LossModel.first(firstDrops, datagram -> first.matches(scenario.variant().segments(datagram)))
                .or(LossModel.first(secondDrops, datagram -> second.matches(scenario.variant().segments(datagram))))).build();
        try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
            pair.b().application().reading(false);
            pair.sendFromA(BYTES);
            pair.runForMs(PAUSE_MS);
            pair.b().application().reading(true);
            scenario.record("seconds after the pause", pair.assertCompletes(LIMIT_MS) / 1000.0);
        } catch (AssertionError e) {
            throw new AssertionError("first " + firstDrops + ' ' + first + " and first " + secondDrops + ' '
                + second + " lost: " + e.getMessage(), e);
        }
    }

    /** A kind of datagram, by what it contains. */
    private enum Kind {
        PUSH_0, ACK, WASK, WINS;

        private boolean matches(ByteBuf datagram) {
            int end = datagram.writerIndex();
            int offset = datagram.readerIndex();
            while (end - offset >= SegmentHeader.LENGTH) {
                int cmd = SegmentHeader.cmd(datagram, offset);
                boolean matches = switch (this) {
                    case PUSH_0 -> cmd == SegmentHeader.CMD_PUSH && SegmentHeader.sn(datagram, offset) == 0;
                    case ACK -> cmd == SegmentHeader.CMD_ACK;
                    case WASK -> cmd == SegmentHeader.CMD_WASK;
                    case WINS -> cmd == SegmentHeader.CMD_WINS;
                };
                if (matches) {
                    return true;
                }
                offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
            }
            return false;
        }
    }
}
