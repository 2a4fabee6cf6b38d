package io.kcp.spring.properties;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration properties for limits on the sessions of a server. */
public class KcpLimitsProperties {

    /** Maximum number of open sessions of the server across all its sockets. By default, it is derived from the memory of the JVM. */
    private @Nullable Integer sessions;

    /**
     * Maximum number of open sessions per IPv4 address or IPv6 /64 prefix. By default, it is an eighth of all sessions, but at least 64.
     */
    private @Nullable Integer sessionsPerAddress;

    /**
     * Maximum number of open sessions whose peers have not acknowledged any data yet. By default, it is a quarter of all sessions, but at
     * least 256.
     */
    private @Nullable Integer unvalidatedSessions;

    /**
     * Maximum number of sessions per second that a server under load opens for one IPv4 address or IPv6 /64 prefix, or 0 for no limit. If a
     * prefix without a session sends more datagrams per second, it yields to others while time for decryption is short. The default is 500.
     */
    private @Nullable Integer unknownDatagrams;

    /**
     * Maximum share of an event loop's time for decrypting datagrams from addresses without a session, in percent, or 100 for no limit. The
     * default is 20.
     */
    private @Nullable Integer unknownDecryptionPercent;

    /** Whether a server under load opens a session only when the first datagram is retransmitted. */
    private boolean retransmittedOnlyUnderLoad = true;

    /** Whether a server under load opens a session only when the peer has responded to a probe. */
    private boolean addressProofUnderLoad = true;

    /**
     * Maximum number of sessions that a server under load opens per second, or 0 for no limit. The default is
     * 4096 per processor.
     */
    private @Nullable Integer openingsUnderLoad;

    /**
     * IP prefixes that are exempt from the limits per address. The default is 127.0.0.0/8 and ::1/128; an empty value exempts no address.
     */
    private @Nullable List<String> trustedPrefixes;

    /** Creates properties with their default values. */
    public KcpLimitsProperties() {
    }

    public @Nullable Integer getSessions() {
        return sessions;
    }

    public void setSessions(@Nullable Integer sessions) {
        this.sessions = sessions;
    }

    public @Nullable Integer getSessionsPerAddress() {
        return sessionsPerAddress;
    }

    public void setSessionsPerAddress(@Nullable Integer sessionsPerAddress) {
        this.sessionsPerAddress = sessionsPerAddress;
    }

    public @Nullable Integer getUnvalidatedSessions() {
        return unvalidatedSessions;
    }

    public void setUnvalidatedSessions(@Nullable Integer unvalidatedSessions) {
        this.unvalidatedSessions = unvalidatedSessions;
    }

    public @Nullable Integer getUnknownDatagrams() {
        return unknownDatagrams;
    }

    public void setUnknownDatagrams(@Nullable Integer unknownDatagrams) {
        this.unknownDatagrams = unknownDatagrams;
    }

    public @Nullable Integer getUnknownDecryptionPercent() {
        return unknownDecryptionPercent;
    }

    public void setUnknownDecryptionPercent(@Nullable Integer unknownDecryptionPercent) {
        this.unknownDecryptionPercent = unknownDecryptionPercent;
    }

    public boolean isRetransmittedOnlyUnderLoad() {
        return retransmittedOnlyUnderLoad;
    }

    public void setRetransmittedOnlyUnderLoad(boolean retransmittedOnlyUnderLoad) {
        this.retransmittedOnlyUnderLoad = retransmittedOnlyUnderLoad;
    }

    public boolean isAddressProofUnderLoad() {
        return addressProofUnderLoad;
    }

    public void setAddressProofUnderLoad(boolean addressProofUnderLoad) {
        this.addressProofUnderLoad = addressProofUnderLoad;
    }

    public @Nullable Integer getOpeningsUnderLoad() {
        return openingsUnderLoad;
    }

    public void setOpeningsUnderLoad(@Nullable Integer openingsUnderLoad) {
        this.openingsUnderLoad = openingsUnderLoad;
    }

    public @Nullable List<String> getTrustedPrefixes() {
        return trustedPrefixes;
    }

    public void setTrustedPrefixes(@Nullable List<String> trustedPrefixes) {
        this.trustedPrefixes = trustedPrefixes;
    }
}
