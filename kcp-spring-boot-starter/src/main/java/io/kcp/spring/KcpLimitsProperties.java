package io.kcp.spring;

import org.jspecify.annotations.Nullable;

/** What a server takes on at most. */
public class KcpLimitsProperties {

    /** Open sessions of each socket; 1048576 unless set. */
    private @Nullable Integer sessionsPerSocket;

    /** Open sessions of one remote address and port, where a peer may have several; 1048576 unless set. */
    private @Nullable Integer sessionsPerAddress;

    /** Creates what nothing is set in. */
    public KcpLimitsProperties() {
    }

    public @Nullable Integer getSessionsPerSocket() {
        return sessionsPerSocket;
    }

    public void setSessionsPerSocket(@Nullable Integer sessionsPerSocket) {
        this.sessionsPerSocket = sessionsPerSocket;
    }

    public @Nullable Integer getSessionsPerAddress() {
        return sessionsPerAddress;
    }

    public void setSessionsPerAddress(@Nullable Integer sessionsPerAddress) {
        this.sessionsPerAddress = sessionsPerAddress;
    }
}
