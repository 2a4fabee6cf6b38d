package io.kcp.netty.session;

import io.kcp.core.KcpOutput;

/** Receives the datagrams of a conversation, and provides the session of that conversation. */
public interface SessionOwned extends KcpOutput {

    /** Returns the session of the conversation. */
    AbstractSession session();
}
