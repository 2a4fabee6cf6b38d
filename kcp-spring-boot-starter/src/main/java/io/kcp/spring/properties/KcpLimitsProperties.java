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
     * IP prefixes that are exempt from the limit per address. The default is 127.0.0.0/8 and ::1/128; an empty value exempts no address.
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

    public @Nullable List<String> getTrustedPrefixes() {
        return trustedPrefixes;
    }

    public void setTrustedPrefixes(@Nullable List<String> trustedPrefixes) {
        this.trustedPrefixes = trustedPrefixes;
    }
}
