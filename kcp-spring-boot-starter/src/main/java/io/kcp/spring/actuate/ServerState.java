package io.kcp.spring.actuate;

/** What a server does for those who come. */
public enum ServerState {
    /** It listens, and sessions can begin. */
    ACCEPTING,
    /** No session begins any more, those that are open go on. */
    DRAINING,
    /** It does not listen. */
    STOPPED
}
