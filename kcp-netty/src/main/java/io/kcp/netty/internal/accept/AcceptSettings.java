package io.kcp.netty.internal.accept;

import io.kcp.netty.AcceptFilter;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.internal.admission.FloodLimits;
import io.kcp.netty.internal.admission.ReplayFilter;
import io.kcp.netty.internal.admission.ServerLoad;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.SessionLimits;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.session.ConversationIndex;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the datagram channels of one server that concern sessions opened by peers.
 *
 * @param childHandler       added to the pipeline of each session
 * @param childOptions       options of each session, in the order in which they are set
 * @param childAttributes    attributes of each session
 * @param parent             the parent of the sessions, or null for their datagram channel
 * @param onAccepted         called with each session, on its event loop
 * @param acceptFilter       decides which peers may open a session
 * @param limits             the limits on the number of sessions
 * @param flood              the limits on datagrams from unknown addresses
 * @param floodLog           logs that datagrams are dropped because of these limits
 * @param counts             counts the sessions of the server
 * @param load               the load of the server
 * @param replayFilter       rejects repeated first datagrams, or null
 * @param conversations      the sessions that follow their peers to new addresses, or null if sessions keep the address of their first
 *                           datagram
 * @param receiveWindow      the receive window of the sessions in segments, at least 32
 * @param amplificationLimit {@code true} if a session sends little until its peer is validated
 */
public record AcceptSettings(
    ChannelHandler childHandler,
    Map<ChannelOption<?>, Object> childOptions,
    Map<AttributeKey<?>, Object> childAttributes,
    @Nullable Channel parent,
    Consumer<KcpChannel> onAccepted,
    AcceptFilter acceptFilter,
    SessionLimits limits,
    FloodLimits flood,
    FloodLog floodLog,
    SessionCounts counts,
    ServerLoad load,
    @Nullable ReplayFilter replayFilter,
    @Nullable ConversationIndex<DefaultKcpChannel> conversations,
    int receiveWindow,
    boolean amplificationLimit) {
}
