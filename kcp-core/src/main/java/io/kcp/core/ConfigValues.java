package io.kcp.core;

/** Holds the values of a {@link KcpConfig} and their defaults. Every {@link KcpConfigBuilder} changes a copy of its own. */
final class ConfigValues implements Cloneable {

    KcpTransferMode mode = KcpTransferMode.MESSAGE;
    int mtuBytes = 1400;
    int sendWindow = 128;
    int receiveWindow = 128;
    int windowBudgetBytes;
    boolean noDelay;
    int minRtoMs;
    int intervalMs = 30;
    int fastResend = 2;
    int fastResendLimit = 5;
    EarlyRetransmit earlyRetransmit = EarlyRetransmit.AFTER_REORDER_WINDOW;
    boolean adaptiveReordering = true;
    Redundancy redundancy = Redundancy.OFF;
    int redundancyDelayMs;
    CongestionAlgorithm congestionControl = CongestionAlgorithm.NONE;
    boolean ackNoDelay = true;
    boolean writeDelay;
    int probeInitialMs = 500;
    int probeLimitMs = 5_000;
    int backoffLimitMs = 2_000;
    int deadPeerTimeoutMs = 30_000;
    int maxTransmissions;
    int zeroWindowTimeoutMs = 60_000;
    int maxMessageBytes = KcpConfig.MAX_FRAGMENTS * (KcpConfig.MAX_MTU_BYTES - SegmentHeader.LENGTH);
    int maxBytesPerSecond;
    int minDrainBytesPerSecond;
    boolean mtuFallback = true;
    int mtuSearchLimitBytes;
    int maxRefusedSegments = 256;

    @Override
    public ConfigValues clone() {
        try {
            return (ConfigValues) super.clone();
        } catch (CloneNotSupportedException never) {
            throw new AssertionError(never);
        }
    }
}
