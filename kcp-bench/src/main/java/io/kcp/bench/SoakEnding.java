package io.kcp.bench;

import io.kcp.netty.KcpCloseReason;
import org.jspecify.annotations.Nullable;

/** The ways in which a session of {@link Soak} ends. */
enum SoakEnding {
    /** The client closes the session. */
    CLIENT_CLOSES,
    /** The server closes the session after its last message. */
    SERVER_CLOSES,
    /** The client closes its socket, as if its process had been killed. The server is not notified. */
    ABORT,
    /** The client sends nothing more until the idle timeout of the server expires. */
    IDLE,
    /** A NAT changes the address of the client between two messages. Later, the client closes the session. */
    REBIND,
    /** A NAT changes the address of the client between two messages. Later, the client closes its socket. */
    REBIND_AND_ABORT;

    /** Returns {@code true} if a client may report this reason. The reason is null if all its data was acknowledged before the close. */
    boolean expects(@Nullable KcpCloseReason reason) {
        return switch (this) {
            case CLIENT_CLOSES, REBIND -> reason == null;
            case SERVER_CLOSES, IDLE -> reason == KcpCloseReason.PEER_CLOSED || reason == KcpCloseReason.IDLE;
            case ABORT, REBIND_AND_ABORT -> reason == KcpCloseReason.PARENT_CLOSED;
        };
    }

    boolean rebinds() {
        return this == REBIND || this == REBIND_AND_ABORT;
    }
}
