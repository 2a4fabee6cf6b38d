package io.kcp.bench;

import io.kcp.netty.KcpCloseReason;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ways in which a session of {@link Soak} ends, with the close reasons that its client may report. */
enum SoakEnding {
    /** The client closes the session. */
    CLIENT_CLOSES((KcpCloseReason) null),
    /** The server closes the session after its last message. */
    SERVER_CLOSES(KcpCloseReason.PEER_CLOSED, KcpCloseReason.IDLE),
    /** The client closes its socket, as if its process had been killed. The server is not notified. */
    ABORT(KcpCloseReason.PARENT_CLOSED),
    /** The client sends nothing more until the idle timeout of the server expires. */
    IDLE(KcpCloseReason.PEER_CLOSED, KcpCloseReason.IDLE),
    /** A NAT changes the address of the client between two messages. Later, the client closes the session. */
    REBIND((KcpCloseReason) null),
    /** A NAT changes the address of the client between two messages. Later, the client closes its socket. */
    REBIND_AND_ABORT(KcpCloseReason.PARENT_CLOSED);

    private final List<@Nullable KcpCloseReason> expected;

    SoakEnding(@Nullable KcpCloseReason... expected) {
        this.expected = Arrays.asList(expected);
    }

    /** Returns {@code true} if a client may report this reason. The reason is null if all its data was acknowledged before the close. */
    boolean expects(@Nullable KcpCloseReason reason) {
        return expected.contains(reason);
    }

    boolean rebinds() {
        return this == REBIND || this == REBIND_AND_ABORT;
    }
}
