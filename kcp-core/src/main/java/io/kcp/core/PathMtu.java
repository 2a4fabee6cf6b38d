package io.kcp.core;

/** The MTU of a conversation, which is the configured MTU until a {@link MtuBlackHole} is detected. */
final class PathMtu {

    private final KcpOutput output;
    private final KcpCounters counters;
    private final MtuBlackHole blackHole = new MtuBlackHole();
    private int bytes;
    private int configuredMtuBytes;
    private boolean fallback;

    PathMtu(KcpOutput output, KcpCounters counters) {
        this.output = output;
        this.counters = counters;
    }

    MtuBlackHole blackHole() {
        return blackHole;
    }

    /** Returns the maximum size of a datagram in bytes, excluding the headers of the layers below. */
    int bytes() {
        return bytes;
    }

    /** Returns the maximum payload of a segment. */
    int mssBytes() {
        return bytes - SegmentHeader.LENGTH;
    }

    /**
     * Returns the value of {@link #bytes()} for new settings.
     *
     * @throws IllegalArgumentException if the MTU leaves no room for one byte of payload
     */
    int bytesOf(KcpConfig config) {
        if (isUnchanged(config)) {
            return bytes;
        }
        int overheadBytes = output.overheadBytes();
        if (config.mtuBytes() - overheadBytes < KcpConfig.MIN_MTU_BYTES) {
            throw new IllegalArgumentException("mtuBytes: " + config.mtuBytes() + " (expected: at least "
                + (KcpConfig.MIN_MTU_BYTES + overheadBytes) + " with " + overheadBytes + " bytes of overhead)");
        }
        return config.mtuBytes() - overheadBytes;
    }

    /** Changes the settings. An MTU that was reduced stays reduced, unless the settings of the MTU change. */
    void reconfigure(KcpConfig config) {
        blackHole.setTimeoutMs(config.deadPeerTimeoutMs());
        if (!isUnchanged(config)) {
            bytes = bytesOf(config);
            configuredMtuBytes = config.mtuBytes();
            fallback = config.mtuFallback();
            blackHole.reconfigure(config, output.overheadBytes());
        }
    }

    private boolean isUnchanged(KcpConfig config) {
        return config.mtuBytes() == configuredMtuBytes && config.mtuFallback() == fallback;
    }

    /**
     * Reduces the MTU if a black hole has been detected. The MTU is not reduced while the first message is pending, because a peer that
     * refuses a too large first message does not acknowledge its fragments.
     */
    void reduceIfNecessary(Sender sender, int timeMs) {
        if (blackHole.isDetected() && !sender.firstMessage().isPending()) {
            int reducedBytes = KcpConfig.FALLBACK_MTU_BYTES - output.overheadBytes();
            sender.reduceMss(reducedBytes - SegmentHeader.LENGTH);
            bytes = reducedBytes;
            blackHole.onReduced(timeMs);
            counters.mtuReductions++;
            output.onMtuReduced(KcpConfig.FALLBACK_MTU_BYTES);
        }
    }
}
