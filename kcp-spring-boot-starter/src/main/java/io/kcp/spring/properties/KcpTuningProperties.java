package io.kcp.spring.properties;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Single knobs of the protocol. What is not set is as in the profile. */
public class KcpTuningProperties {

    /** Whether the retransmission timeout may be as short as 30 ms and grows by half; first number of kcp-go's SetNoDelay. */
    private @Nullable Boolean noDelay;

    /** Clock tick of the protocol; second number of SetNoDelay. */
    private @Nullable Duration interval;

    /** After how many acknowledgements of later segments one is sent again, 0 for never; third number of SetNoDelay. */
    private @Nullable Integer fastResend;

    /** How often one segment may be sent again early between two timeouts. */
    private @Nullable Integer fastResendLimit;

    /** When a segment that was skipped less often is sent again. */
    private @Nullable EarlyRetransmit earlyRetransmit;

    /** Whether acknowledgements that come late teach the session to wait longer before it takes a segment for lost. */
    private @Nullable Boolean adaptiveReordering;

    /** What limits the data in flight beside the windows; NONE is 1 as fourth number of SetNoDelay. */
    private @Nullable CongestionAlgorithm congestionControl;

    /** Least retransmission timeout. */
    private @Nullable Duration minRto;

    /** Whether acknowledgements leave at once; kcp-go's SetACKNoDelay. */
    private @Nullable Boolean ackNoDelay;

    /** Whether a write may wait up to one interval for company; kcp-go's SetWriteDelay. */
    private @Nullable Boolean writeDelay;

    /** After how many transmissions of one segment the peer counts as gone; 0 for never. */
    private @Nullable Integer maxTransmissions;

    /** How long the peer may keep its window closed while data waits for it; 0 for ever. */
    private @Nullable Duration zeroWindowTimeout;

    /** Creates what nothing is set in. */
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
}
