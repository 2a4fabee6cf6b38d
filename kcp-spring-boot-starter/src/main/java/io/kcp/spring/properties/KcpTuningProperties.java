package io.kcp.spring.properties;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.Redundancy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Configuration properties that override individual protocol settings of the profile. */
public class KcpTuningProperties {

    /**
     * Whether the minimum retransmission timeout is 30 ms instead of 100 ms, and each repeated timeout of a segment adds 50 %
     * instead of 100 % of the retransmission timeout. Corresponds to the first argument of kcp-go's SetNoDelay.
     */
    private @Nullable Boolean noDelay;

    /**
     * Maximum time by which acknowledgements (without ack-no-delay) and writes (with write-delay) are delayed. Also the minimum margin
     * between the smoothed round-trip time and the retransmission timeout. Corresponds to the second argument of kcp-go's SetNoDelay.
     */
    private @Nullable Duration interval;

    /**
     * Number of acknowledgements of later segments after which a segment is retransmitted, or 0 to disable fast retransmission.
     * Corresponds to the third argument of kcp-go's SetNoDelay.
     */
    private @Nullable Integer fastResend;

    /** Maximum number of fast and early retransmissions of a segment between two timeouts. */
    private @Nullable Integer fastResendLimit;

    /** Rule for retransmitting a segment before its timeout expires and before fast-resend triggers. */
    private @Nullable EarlyRetransmit earlyRetransmit;

    /** Whether reordering that is measured on the path delays retransmissions. */
    private @Nullable Boolean adaptiveReordering;

    /** Whether the MTU is reduced to 1200 bytes when the path loses large datagrams. */
    private @Nullable Boolean mtuFallback;

    /** Largest MTU for which sessions search with probes, or 0 for no search. Requires mtu-fallback. The default is 0. */
    private @Nullable DataSize mtuSearchLimit;

    /** Whether copies of unacknowledged segments are appended to datagrams that have room for them. */
    private @Nullable Redundancy redundancy;

    /**
     * Time after which an additional datagram with copies is sent for the latest segments, or 0 for never. Requires redundancy.
     */
    private @Nullable Duration redundancyDelay;

    /**
     * Maximum memory of the windows of one session, which then follow the bandwidth and the round trip of the path and start with
     * send-window and receive-window. The value 0 keeps the windows constant.
     */
    private @Nullable DataSize windowBudget;

    /** Congestion control algorithm. The value none corresponds to 1 as the fourth argument of kcp-go's SetNoDelay. */
    private @Nullable CongestionAlgorithm congestionControl;

    /** Minimum retransmission timeout. */
    private @Nullable Duration minRto;

    /** Whether acknowledgements are sent immediately. Corresponds to kcp-go's SetACKNoDelay. */
    private @Nullable Boolean ackNoDelay;

    /** Whether writes are delayed by up to one interval so that they can be combined. Corresponds to kcp-go's SetWriteDelay. */
    private @Nullable Boolean writeDelay;

    /** Number of transmissions of one segment after which the session is closed, or 0 for no limit. */
    private @Nullable Integer maxTransmissions;

    /**
     * Time after which the session is closed if the peer keeps advertising a zero window while data is queued, or 0 to disable the
     * timeout.
     */
    private @Nullable Duration zeroWindowTimeout;

    /**
     * Minimum rate in bytes per second at which the peer must accept waiting data, measured over ten seconds, or 0 for no minimum. A slower
     * peer is disconnected.
     */
    private @Nullable DataSize minDrainRate;

    /**
     * Number of inconsistent fragments after which a session with an authenticated cipher is closed, or 0 for no limit. The
     * default is 256.
     */
    private @Nullable Integer maxRefusedSegments;

    /** Maximum number of messages that a session delivers in one event-loop iteration, or 0 for no limit. The default is 1024. */
    private @Nullable Integer maxMessagesPerIteration;

    /** Size after which a session delivers no further messages in one event-loop iteration, or 0 for no limit. The default is 2MB. */
    private @Nullable DataSize maxBytesPerIteration;

    /** Creates properties with their default values. */
    public KcpTuningProperties() {
    }

    public @Nullable Boolean getNoDelay() {
        return noDelay;
    }

    public void setNoDelay(@Nullable Boolean noDelay) {
        this.noDelay = noDelay;
    }

    public @Nullable Duration getInterval() {
        return interval;
    }

    public void setInterval(@Nullable Duration interval) {
        this.interval = interval;
    }

    public @Nullable Integer getFastResend() {
        return fastResend;
    }

    public void setFastResend(@Nullable Integer fastResend) {
        this.fastResend = fastResend;
    }

    public @Nullable Integer getFastResendLimit() {
        return fastResendLimit;
    }

    public void setFastResendLimit(@Nullable Integer fastResendLimit) {
        this.fastResendLimit = fastResendLimit;
    }

    public @Nullable EarlyRetransmit getEarlyRetransmit() {
        return earlyRetransmit;
    }

    public void setEarlyRetransmit(@Nullable EarlyRetransmit earlyRetransmit) {
        this.earlyRetransmit = earlyRetransmit;
    }

    public @Nullable Boolean getAdaptiveReordering() {
        return adaptiveReordering;
    }

    public void setAdaptiveReordering(@Nullable Boolean adaptiveReordering) {
        this.adaptiveReordering = adaptiveReordering;
    }

    public @Nullable Boolean getMtuFallback() {
        return mtuFallback;
    }

    public void setMtuFallback(@Nullable Boolean mtuFallback) {
        this.mtuFallback = mtuFallback;
    }

    public @Nullable DataSize getMtuSearchLimit() {
        return mtuSearchLimit;
    }

    public void setMtuSearchLimit(@Nullable DataSize mtuSearchLimit) {
        this.mtuSearchLimit = mtuSearchLimit;
    }

    public @Nullable Redundancy getRedundancy() {
        return redundancy;
    }

    public void setRedundancy(@Nullable Redundancy redundancy) {
        this.redundancy = redundancy;
    }

    public @Nullable Duration getRedundancyDelay() {
        return redundancyDelay;
    }

    public void setRedundancyDelay(@Nullable Duration redundancyDelay) {
        this.redundancyDelay = redundancyDelay;
    }

    public @Nullable DataSize getWindowBudget() {
        return windowBudget;
    }

    public void setWindowBudget(@Nullable DataSize windowBudget) {
        this.windowBudget = windowBudget;
    }

    public @Nullable CongestionAlgorithm getCongestionControl() {
        return congestionControl;
    }

    public void setCongestionControl(@Nullable CongestionAlgorithm congestionControl) {
        this.congestionControl = congestionControl;
    }

    public @Nullable Duration getMinRto() {
        return minRto;
    }

    public void setMinRto(@Nullable Duration minRto) {
        this.minRto = minRto;
    }

    public @Nullable Boolean getAckNoDelay() {
        return ackNoDelay;
    }

    public void setAckNoDelay(@Nullable Boolean ackNoDelay) {
        this.ackNoDelay = ackNoDelay;
    }

    public @Nullable Boolean getWriteDelay() {
        return writeDelay;
    }

    public void setWriteDelay(@Nullable Boolean writeDelay) {
        this.writeDelay = writeDelay;
    }

    public @Nullable Integer getMaxTransmissions() {
        return maxTransmissions;
    }

    public void setMaxTransmissions(@Nullable Integer maxTransmissions) {
        this.maxTransmissions = maxTransmissions;
    }

    public @Nullable Duration getZeroWindowTimeout() {
        return zeroWindowTimeout;
    }

    public void setZeroWindowTimeout(@Nullable Duration zeroWindowTimeout) {
        this.zeroWindowTimeout = zeroWindowTimeout;
    }

    public @Nullable DataSize getMinDrainRate() {
        return minDrainRate;
    }

    public void setMinDrainRate(@Nullable DataSize minDrainRate) {
        this.minDrainRate = minDrainRate;
    }

    public @Nullable Integer getMaxRefusedSegments() {
        return maxRefusedSegments;
    }

    public void setMaxRefusedSegments(@Nullable Integer maxRefusedSegments) {
        this.maxRefusedSegments = maxRefusedSegments;
    }

    public @Nullable Integer getMaxMessagesPerIteration() {
        return maxMessagesPerIteration;
    }

    public void setMaxMessagesPerIteration(@Nullable Integer maxMessagesPerIteration) {
        this.maxMessagesPerIteration = maxMessagesPerIteration;
    }

    public @Nullable DataSize getMaxBytesPerIteration() {
        return maxBytesPerIteration;
    }

    public void setMaxBytesPerIteration(@Nullable DataSize maxBytesPerIteration) {
        this.maxBytesPerIteration = maxBytesPerIteration;
    }
}
