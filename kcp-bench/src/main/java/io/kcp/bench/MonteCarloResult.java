package io.kcp.bench;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.testkit.KcpPair;
import io.kcp.testkit.KcpPairBuilder;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.TransferPlan;
import java.util.Arrays;
import java.util.List;

/**
 * Results of two simulated transfers with one seed: a bulk transfer, and messages at a constant interval.
 *
 * @param loss                     share of the datagrams that the link loses
 * @param hasFec                   {@code true} if both sides send parity
 * @param deliveryTimesUs          time from the write of each message until it is read
 * @param goodputMbit              payload of the bulk transfer in Mbit/s
 * @param retransmissionPercent    retransmitted segments of the bulk transfer, relative to its segments
 * @param wireBytesPerPayloadByte  bytes that both sides sent during the bulk transfer, relative to its payload
 */
record MonteCarloResult(double loss, boolean hasFec, List<Long> deliveryTimesUs, double goodputMbit, double retransmissionPercent,
    double wireBytesPerPayloadByte) {

    static final int DATA_SHARDS = 10;
    static final int PARITY_SHARDS = 3;
    static final int BULK_BYTES = 1_000_000;
    static final int MESSAGES = 500;
    static final int MESSAGE_BYTES = 200;
    static final int MESSAGE_INTERVAL_MS = 10;
    static final int LINK_MBIT = 20;
    static final int DELAY_MS = 25;

    private static final int QUEUE_BYTES = LINK_MBIT * 1_000_000 / 8 * 2 * DELAY_MS / 1_000;
    private static final int FRAMING_BYTES = 28;
    private static final int LIMIT_MS = 600_000;
    private static final KcpConfig BULK = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).build();

    /** Simulates both transfers. */
    static MonteCarloResult simulate(long seed, double loss, boolean hasFec) {
        LinkProfile link = LinkProfile.builder().rateBitsPerSecond(LINK_MBIT * 1_000_000L).delayMs(DELAY_MS).queueBytes(QUEUE_BYTES)
            .framingBytes(FRAMING_BYTES).lossProbability(loss).build();
        List<Long> deliveryTimesUs;
        try (KcpPair pair = pair(seed, link, hasFec).configs(KcpConfig.fast3()).build()) {
            pair.sendPeriodicallyFromA(TransferPlan.ofMessages(seed, MESSAGES, MESSAGE_BYTES), MESSAGE_INTERVAL_MS);
            pair.assertCompletes(LIMIT_MS);
            deliveryTimesUs = Arrays.stream(pair.b().application().deliveryTimesUs()).boxed().toList();
        }
        try (KcpPair pair = pair(~seed, link, hasFec).configs(BULK).build()) {
            pair.sendFromA(BULK_BYTES);
            pair.assertCompletes(LIMIT_MS);
            double seconds = pair.b().application().latestReadMs() / 1_000.0;
            return new MonteCarloResult(loss, hasFec, deliveryTimesUs, BULK_BYTES * 8 / seconds / 1_000_000,
                100.0 * pair.a().sent().retransmissions() / pair.a().sent().segments(),
                (double) (pair.a().sent().wireBytes() + pair.b().sent().wireBytes()) / BULK_BYTES);
        }
    }

    private static KcpPairBuilder pair(long seed, LinkProfile link, boolean hasFec) {
        return KcpPair.builder(seed).links(link).fec(hasFec ? FecConfig.of(DATA_SHARDS, PARITY_SHARDS) : null);
    }
}
