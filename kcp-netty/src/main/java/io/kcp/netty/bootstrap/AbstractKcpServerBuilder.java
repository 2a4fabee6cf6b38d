package io.kcp.netty.bootstrap;

import io.kcp.core.KcpConfig;
import io.kcp.netty.AcceptFilter;
import io.kcp.netty.DropReason;
import io.kcp.netty.ForeignDatagramHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.internal.accept.AcceptSettings;
import io.kcp.netty.internal.accept.DecryptionBudgetHandler;
import io.kcp.netty.internal.accept.FloodLog;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.admission.FloodLimits;
import io.kcp.netty.internal.admission.ReplayFilter;
import io.kcp.netty.internal.admission.ServerLoad;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.admission.SessionLimits;
import io.kcp.netty.internal.channel.ConversationOption;
import io.kcp.netty.internal.channel.DefaultKcpChannelConfig;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.session.ConversationIndex;
import io.kcp.netty.internal.session.ReducedMtus;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Base class of builders that configure sessions opened by peers: {@link KcpServerBootstrap} and {@link KcpHandlerBuilder}.
 *
 * @param <B> type of the builder itself
 */
public abstract class AbstractKcpServerBuilder<B extends AbstractKcpServerBuilder<B>> extends AbstractKcpBuilder<B> {

    /**
     * The receive window, in segments, that every KCP implementation assumes for its peer until the first datagram of that peer arrives.
     */
    private static final int WINDOW_BEFORE_FIRST_DATAGRAM = 32;

    private final Map<ChannelOption<?>, Object> childOptions = new LinkedHashMap<>();
    private final Map<AttributeKey<?>, Object> childAttributes = new LinkedHashMap<>();
    private final ReducedMtus reducedMtus = new ReducedMtus();
    private final FloodLog floodLog = new FloodLog();
    private AcceptFilter acceptFilter = AcceptFilter.ALL;
    private ForeignDatagramHandler foreignHandler = ForeignDatagramHandler.NONE;
    private SessionLimits limits = SessionLimits.DEFAULT;
    private FloodLimits flood = FloodLimits.DEFAULT;
    private boolean replayProtection = true;
    private boolean amplificationLimit = true;

    AbstractKcpServerBuilder() {
    }

    /**
     * Sets a channel option of all accepted sessions.
     *
     * @param option an option of {@link KcpChannelOption} or {@link ChannelOption}
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> B childOption(ChannelOption<T> option, T value) {
        childOptions.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return self();
    }

    /**
     * Sets a channel attribute of all accepted sessions.
     *
     * @param key   the key
     * @param value its value
     * @param <T>   type of the value
     * @return this
     */
    public <T> B childAttr(AttributeKey<T> key, T value) {
        childAttributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return self();
    }

    /**
     * Sets the KCP settings of all accepted sessions. This method is a shorthand for the child option {@link
     * KcpChannelOption#KCP_CONFIG}.
     *
     * @param config the settings
     * @return this
     */
    public B config(KcpConfig config) {
        return childOption(KcpChannelOption.KCP_CONFIG, config);
    }

    /**
     * Returns the KCP settings of accepted sessions.
     *
     * @return the settings from {@link #config(KcpConfig)} and the child options, with default values for all settings that were not set
     * @throws IllegalArgumentException if a child option is out of range
     */
    public KcpConfig config() {
        return ConversationOption.config(childOptions);
    }

    /**
     * Sets the filter that decides which peers may open a session. The default filter accepts every peer.
     *
     * @param acceptFilter the filter, which can also examine the first message; called on all event loops
     * @return this
     */
    public B acceptFilter(AcceptFilter acceptFilter) {
        this.acceptFilter = Objects.requireNonNull(acceptFilter, "acceptFilter");
        return self();
    }

    /**
     * Sets the handler for datagrams that are not KCP. The default handler drops them.
     *
     * @param foreignHandler the handler; called on all event loops
     * @return this
     */
    public B foreignDatagrams(ForeignDatagramHandler foreignHandler) {
        this.foreignHandler = Objects.requireNonNull(foreignHandler, "foreignHandler");
        return self();
    }

    /**
     * Limits the number of open sessions. The limit applies to the whole server, or to all channels that share one pipeline handler
     * ({@link KcpHandlerBuilder#buildPipeline()}). The default depends on the memory of the JVM: one session for every 16 KiB of the
     * maximum heap or every 8 KiB of direct memory, whichever gives fewer sessions. It is at least 256 and at most 1048576.
     *
     * @param maxSessions at least 1
     * @return this
     */
    public B maxSessions(int maxSessions) {
        limits = limits.withTotal(maxSessions);
        return self();
    }

    /**
     * Limits the number of open sessions per IP address, regardless of the port. An IPv6 /64 counts as one address, and a NAT64
     * address ({@code 64:ff9b::/96}) counts as the IPv4 address that it contains. Addresses in {@link #trustedPrefixes} are exempt.
     * The default is an eighth of {@link #maxSessions(int)}, at least 64.
     *
     * <p>A new session beyond the limit evicts the oldest session of the same address whose peer has not acknowledged anything, because
     * that session may come from a forged address. If there is no such session, or it is younger than 500 ms, the new session is refused.
     * The peer of the new session must prove its address as on a server under load ({@link #addressProofUnderLoad(boolean)}).
     *
     * @param maxSessionsPerAddress at least 1
     * @return this
     */
    public B maxSessionsPerAddress(int maxSessionsPerAddress) {
        limits = limits.withPerAddress(maxSessionsPerAddress);
        return self();
    }

    /**
     * Limits the number of unvalidated sessions: open sessions that are younger than 10 s and whose peer has not yet acknowledged
     * anything that the server sent. A new session beyond the limit evicts the oldest unvalidated session
     * ({@link KcpCloseReason#EVICTED}), because unvalidated sessions may come from forged addresses. The default is a quarter of
     * {@link #maxSessions(int)} or 256, whichever is more, but at most {@code maxSessions}.
     *
     * <p>A new session beyond {@link #maxSessions(int)} also evicts an unvalidated session, or an older one whose peer has not
     * acknowledged anything. A peer that only sends is probed after every 16 datagrams, so that it acknowledges something.
     *
     * @param maxUnvalidatedSessions at least 1
     * @return this
     */
    public B maxUnvalidatedSessions(int maxUnvalidatedSessions) {
        limits = limits.withUnvalidated(maxUnvalidatedSessions);
        return self();
    }

    /**
     * Exempts IP addresses that many clients share, such as those of load balancers and carrier NAT, from {@link
     * #maxSessionsPerAddress(int)} and {@link #unknownDatagramsPerSecond(int)}. The given prefixes replace the default prefixes,
     * {@code 127.0.0.0/8} and {@code ::1/128}.
     *
     * @param prefixes IP prefixes such as {@code 10.0.0.0/8}; none to trust no address
     * @return this
     */
    public B trustedPrefixes(String... prefixes) {
        limits = limits.withTrustedPrefixes(prefixes);
        return self();
    }

    /**
     * Limits the sessions per second that a server under load opens for each IP address. The limit permits bursts of twice this number,
     * and an IPv6 /64 counts as one address. Each socket of the server enforces the limit separately. Addresses in {@link
     * #trustedPrefixes} are exempt. The default is 500.
     *
     * <p>A session counts only after its peer has proved its address ({@link #addressProofUnderLoad(boolean)}), so an attacker who forges
     * the address of a network does not lock out the clients of that network.
     *
     * <p>The same number limits the priority of datagrams that must be decrypted. For one second after
     * {@link #unknownDecryptionPercent(int)} was exceeded on an event loop, other addresses take precedence over an IP address that sends
     * more datagrams per second from ports without an open session.
     *
     * <p>A server is under load while the number of unvalidated sessions exceeds a threshold, which is a quarter of
     * {@link #maxUnvalidatedSessions(int)} or 64, whichever is more, but at most half of {@link #maxUnvalidatedSessions(int)}. It is also
     * under load for one second after it has evicted a session because of that limit or {@link #maxSessions(int)}, after it has dropped a
     * datagram because too many peers connect at the same time ({@link DropReason#OPENING_QUEUE_FULL}), or after the
     * {@link #acceptFilter(AcceptFilter)} has refused more than 64 sessions within a second.
     *
     * @param datagrams at least 0; 0 for no limit
     * @return this
     */
    public B unknownDatagramsPerSecond(int datagrams) {
        flood = flood.withDatagramsPerSecond(datagrams);
        return self();
    }

    /**
     * Limits the share of each event loop's time that is spent on decrypting datagrams from unknown addresses, which are addresses
     * without an open session. Further datagrams from unknown addresses are dropped, so that most of the time remains available to
     * open sessions during a flood of forged datagrams. The limit also applies to {@link #trustedPrefixes}. The default is 20.
     *
     * <p>The same share of the time is available for datagrams that cannot be decrypted and come from the address of an open session, which
     * an attacker may have forged. If such datagrams exceed their share, the event loop also drops datagrams of the sessions of that
     * address. These sessions then retransmit and become slower. A flood that exceeds the share many times over can close them, especially
     * if the cipher is slow. Other sessions are not affected.
     *
     * @param percent 1 to 100; 100 for no limit
     * @return this
     */
    public B unknownDecryptionPercent(int percent) {
        flood = flood.withDecryptionPercent(percent);
        return self();
    }

    /**
     * Sets whether a server under load opens a session only when the first datagram of the session is retransmitted. A
     * KCP client retransmits it after about 200 ms, but a flood from forged addresses usually sends each datagram once. The setting applies
     * in the same situations as {@link #addressProofUnderLoad(boolean)}. The default is true.
     *
     * @param required {@code true} to require a retransmission
     * @return this
     */
    public B retransmittedOnlyUnderLoad(boolean required) {
        flood = flood.withRetransmittedOnly(required);
        return self();
    }

    /**
     * Sets whether a server under load opens a session only for a peer that has proved its address. The server responds to the first
     * datagram with a probe of 24 bytes, which every KCP client acknowledges, and the next retransmission opens the session. Datagrams from
     * forged addresses then open no sessions and use no memory. Together with {@link #retransmittedOnlyUnderLoad(boolean)}, a connection
     * takes about 500 ms longer, or 200 ms and one round trip if that is longer. The setting applies while the server is under load, as
     * described at {@link #unknownDatagramsPerSecond(int)}, and while unvalidated sessions hold more than an eighth of the memory limit of
     * their event loop. It always applies to an address that has as many sessions as {@link #maxSessionsPerAddress(int)} permits. The
     * default is true.
     *
     * @param required {@code true} to require the proof
     * @return this
     */
    public B addressProofUnderLoad(boolean required) {
        flood = flood.withAddressProof(required);
        return self();
    }

    /**
     * Limits the number of sessions that the server opens per second in the situations in which
     * {@link #addressProofUnderLoad(boolean)} applies. The default is 4,096 per processor. If {@link #addressProofUnderLoad(boolean)} is
     * off, the default is at most twice {@link #maxUnvalidatedSessions(int)}, so that a new session is kept for about half a second before
     * it is evicted.
     *
     * <p>In addition, each event loop spends at most 20 % of its time on opening sessions in these situations, including the time of
     * {@link #acceptFilter(AcceptFilter)} and of the child handler's initializer.
     *
     * @param sessions at least 0; 0 for no limit on the number and the time
     * @return this
     */
    public B openingsPerSecondUnderLoad(int sessions) {
        flood = flood.withOpeningsPerSecond(sessions);
        return self();
    }

    /**
     * Sets whether the server rejects replayed datagrams that would open a session. A datagram that could open a session is then accepted
     * only once in ten to twenty minutes, regardless of its source address. The filter holds 800,000 datagrams, so a high rate of new
     * sessions shortens this time. The protection requires a cipher and covers this process only. The default is true. Disable the
     * protection for clients that repeat the same first datagram (fixed {@code conv}, clock from 0, same first message).
     *
     * @param replayProtection {@code true} to reject repeated datagrams
     * @return this
     */
    public B replayProtection(boolean replayProtection) {
        this.replayProtection = replayProtection;
        return self();
    }

    /**
     * Sets whether a session sends at most three times the bytes that it has received, until its peer is validated. Without this limit, an
     * attacker who sends a small datagram from a forged address can make the server send a large reply to the owner of the address. All
     * sent bytes count, including retransmissions, FEC parity and probes.
     *
     * <p>A peer proves its address with the acknowledgement of a segment or probe that the server has sent. A reply that exceeds
     * the limit is therefore delayed by one round trip, once per session. Until then, the server does not acknowledge the newest
     * segment of the peer while a reply is waiting. If no reply is waiting, the server responds to the segment with a probe and
     * acknowledges the segment one round trip later. An out-of-band message that exceeds the limit is dropped.
     *
     * <p>The default is true, with every cipher. A cipher prevents an attacker from creating a first datagram but not from
     * replaying a recorded one from a forged address, because {@link #replayProtection(boolean)} remembers first datagrams only for
     * ten to twenty minutes and not across a restart of the server.
     *
     * @param amplificationLimit {@code true} to limit sessions, {@code false} not to limit them
     * @return this
     */
    public B amplificationLimit(boolean amplificationLimit) {
        this.amplificationLimit = amplificationLimit;
        return self();
    }

    /** Throws an exception if a child option is out of range, or if roaming is enabled without an authenticated cipher. */
    final void check() {
        checkRoaming();
        DefaultKcpChannelConfig.check(childOptions, overheadBytes());
    }

    /**
     * Returns the settings of one server. They include new objects that all datagram channels of the server share, such as the counts of
     * its sessions.
     *
     * @param childHandler       the handler of each session
     * @param parent             the parent of the sessions, or null for their datagram channel
     * @param onAccepted         called with each session, on its event loop
     * @param closeWithSession   {@code true} if a datagram channel closes together with a session
     */
    final ListenerSettings settings(ChannelHandler childHandler, @Nullable Channel parent, Consumer<KcpChannel> onAccepted,
        boolean closeWithSession) {
        SessionCounts counts = new SessionCounts(limits);
        ReplayFilter replayFilter = replayProtection && hasCipher() ? new ReplayFilter(new SecureRandom()) : null;
        int receiveWindow = Math.max(DefaultKcpChannelConfig.receiveWindow(childOptions), WINDOW_BEFORE_FIRST_DATAGRAM);
        AcceptSettings accept = new AcceptSettings(childHandler, new LinkedHashMap<>(childOptions), Map.copyOf(childAttributes), parent,
            onAccepted, acceptFilter, limits, flood, floodLog, counts, new ServerLoad(counts, flood), replayFilter,
            isRoaming() ? new ConversationIndex<>() : null, receiveWindow, amplificationLimit);
        return new ListenerSettings(closeWithSession, isRoaming(), reducedMtus, foreignHandler, accept);
    }

    /** Returns a handler that initializes the pipelines of all datagram channels of one server. */
    final ChannelHandler pipeline(ListenerSettings settings) {
        AcceptSettings accept = Objects.requireNonNull(settings.accept());
        Supplier<DecryptionBudgetHandler> admission = hasCipher() && flood.limitsDecryption()
            ? () -> new DecryptionBudgetHandler(accept.flood(), accept.limits(), accept.floodLog()) : null;
        return initializer(new DecryptionFailureLog(), admission, () -> new DefaultKcpHandler(settings));
    }
}
