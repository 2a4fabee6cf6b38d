package io.kcp.netty.internal.handler;

import io.kcp.netty.ForeignDatagramHandler;
import io.kcp.netty.internal.accept.AcceptSettings;
import io.kcp.netty.internal.session.ReducedMtus;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one datagram channel and of its sessions.
 *
 * @param closeWithSession      {@code true} if the datagram channel closes together with a session
 * @param repeatAcknowledgement {@code true} if sessions that this side opens repeat their latest acknowledgement when they receive nothing,
 *                              so that their peers detect a change of address
 * @param reducedMtus           the peers whose paths required a reduced MTU
 * @param foreignDatagrams      handles datagrams that are not KCP
 * @param accept                the settings of sessions that peers open, or null if this side accepts none
 */
public record ListenerSettings(
    boolean closeWithSession,
    boolean repeatAcknowledgement,
    ReducedMtus reducedMtus,
    ForeignDatagramHandler foreignDatagrams,
    @Nullable AcceptSettings accept) {

    boolean limitsAmplification() {
        AcceptSettings accepting = accept;
        return accepting != null && accepting.amplificationLimit();
    }
}
