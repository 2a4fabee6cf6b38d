package io.kcp.netty.session;

import io.kcp.core.KcpOutput;

/** The output of a conversation that belongs to a session. */
public interface SessionOwned extends KcpOutput {

    /** Returns the session. */
    AbstractSession session();
}
