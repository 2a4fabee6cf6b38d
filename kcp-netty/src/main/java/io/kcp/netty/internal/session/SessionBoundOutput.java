package io.kcp.netty.internal.session;

import io.kcp.core.KcpOutput;

/** The output of a conversation, which also provides the session of the conversation. */
public interface SessionBoundOutput extends KcpOutput {

    /** Returns the session of the conversation. */
    AbstractSession session();
}
