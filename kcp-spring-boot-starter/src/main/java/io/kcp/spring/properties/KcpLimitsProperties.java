package io.kcp.spring.properties;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits of a server. */
public class KcpLimitsProperties {

    /** Limit on open sessions of the server, all its sockets together; by default it follows from the memory of the JVM. */
    private @Nullable Integer sessions;

    /** Limit on open sessions of one IP address, whatever its ports; an IPv6 /64 counts as one. By default an eighth, at least 64. */
    private @Nullable Integer sessionsPerAddress;

    /** Limit on open sessions whose peer has not acknowledged anything yet; by default a quarter of all or 256, at most all. */
    private @Nullable Integer unvalidatedSessions;

    /** IP prefixes exempt from the limit per address; 127.0.0.0/8 and ::1/128 unless set, an empty value for none. */
    private @Nullable List<String> trustedPrefixes;

    /** Creates what nothing is set in. */
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
