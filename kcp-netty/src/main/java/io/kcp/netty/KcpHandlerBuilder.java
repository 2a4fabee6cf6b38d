package io.kcp.netty;

import io.kcp.netty.admission.ReplayFilter;
import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.SessionLimits;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link KcpHandler}; each has a default that fits. Not thread safe. */
public final class KcpHandlerBuilder {

    /** What every KCP takes for its peer's window, however small that is, before it has heard from it. */
    private static final int WINDOW_BEFORE_FIRST_DATAGRAM = 32;

    final @Nullable ChannelHandler childHandler;
    final Map<ChannelOption<?>, Object> childOptions = new LinkedHashMap<>();
    final Map<AttributeKey<?>, Object> childAttributes = new LinkedHashMap<>();
    AcceptFilter acceptFilter = AcceptFilter.ALL;
    ForeignDatagramHandler foreignHandler = ForeignDatagramHandler.NONE;
    SessionLimits limits = SessionLimits.DEFAULT;
    /** Shared by the handlers of a server; null for a handler that counts alone. */
    @Nullable SessionCounts counts;
    int receiveWindow;
    boolean closeWithSession;
    @Nullable ReplayFilter replayFilter;
    @Nullable DefaultKcpServerChannel serverChannel;

    KcpHandlerBuilder(@Nullable ChannelHandler childHandler) {
        this.childHandler = childHandler;
    }

    private KcpHandlerBuilder(KcpHandlerBuilder other) {
        childHandler = other.childHandler;
        childOptions.putAll(other.childOptions);
        childAttributes.putAll(other.childAttributes);
        acceptFilter = other.acceptFilter;
        foreignHandler = other.foreignHandler;
        limits = other.limits;
        counts = other.counts;
        closeWithSession = other.closeWithSession;
        replayFilter = other.replayFilter;
        serverChannel = other.serverChannel;
        receiveWindow = Math.max(DefaultKcpChannelConfig.receiveWindow(childOptions), WINDOW_BEFORE_FIRST_DATAGRAM);
    }

    /**
     * Sets an option of the sessions that are accepted.
     *
     * @param option the option, see {@link KcpChannelOption}
     * @param value  its value
     * @param <T>    type of the value
     * @return this
     */
    public <T> KcpHandlerBuilder childOption(ChannelOption<T> option, T value) {
        childOptions.put(Objects.requireNonNull(option, "option"), Objects.requireNonNull(value, option.name()));
        return this;
    }

    /**
     * Sets an attribute of the sessions that are accepted.
     *
     * @param key   the key
     * @param value its value
     * @param <T>   type of the value
     * @return this
     */
    public <T> KcpHandlerBuilder childAttr(AttributeKey<T> key, T value) {
        childAttributes.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets who may open a session. The default is everybody.
     *
     * @param acceptFilter the filter
     * @return this
     */
    public KcpHandlerBuilder acceptFilter(AcceptFilter acceptFilter) {
        this.acceptFilter = Objects.requireNonNull(acceptFilter, "acceptFilter");
        return this;
    }

    /**
     * Sets what sees datagrams that are not KCP. The default knows none.
     *
     * @param foreignHandler the handler
     * @return this
     */
    public KcpHandlerBuilder foreignDatagrams(ForeignDatagramHandler foreignHandler) {
        this.foreignHandler = Objects.requireNonNull(foreignHandler, "foreignHandler");
        return this;
    }

    /**
     * Limits the sessions that peers may have open on this datagram channel. The default is that of
     * {@link KcpServerBootstrap#maxSessions(int)}.
     *
     * @param maxSessions at least 1
     * @return this
     */
    public KcpHandlerBuilder maxSessions(int maxSessions) {
        return limits(limits.withTotal(maxSessions));
    }

    /**
     * Limits the sessions that one IP address may have open, whatever its ports. The default and what counts as one address are those
     * of {@link KcpServerBootstrap#maxSessionsPerAddress(int)}.
     *
     * @param maxSessionsPerAddress at least 1
     * @return this
     */
    public KcpHandlerBuilder maxSessionsPerAddress(int maxSessionsPerAddress) {
        return limits(limits.withPerAddress(maxSessionsPerAddress));
    }

    /**
     * Limits the open sessions that are not validated, as {@link KcpServerBootstrap#maxUnvalidatedSessions(int)} does.
     *
     * @param maxUnvalidatedSessions at least 1
     * @return this
     */
    public KcpHandlerBuilder maxUnvalidatedSessions(int maxUnvalidatedSessions) {
        return limits(limits.withUnvalidated(maxUnvalidatedSessions));
    }

    /**
     * Exempts addresses from {@link #maxSessionsPerAddress(int)}, as {@link KcpServerBootstrap#trustedPrefixes(String...)} does.
     *
     * @param prefixes IP prefixes; none to trust no address
     * @return this
     */
    public KcpHandlerBuilder trustedPrefixes(String... prefixes) {
        return limits(limits.withTrustedPrefixes(prefixes));
    }

    KcpHandlerBuilder limits(SessionLimits limits) {
        this.limits = limits;
        return this;
    }

    /** Sets the counts that all handlers of a server share. */
    KcpHandlerBuilder counts(SessionCounts counts) {
        this.counts = counts;
        return this;
    }

    /** Sets what knows the datagrams that opened sessions, shared by all handlers of a server. */
    KcpHandlerBuilder replayFilter(@Nullable ReplayFilter replayFilter) {
        this.replayFilter = replayFilter;
        return this;
    }

    KcpHandlerBuilder childOptions(Map<ChannelOption<?>, Object> options) {
        childOptions.putAll(options);
        return this;
    }

    KcpHandlerBuilder childAttributes(Map<AttributeKey<?>, Object> attributes) {
        childAttributes.putAll(attributes);
        return this;
    }

    /** Closes the datagram channel together with a session: one socket per client session. */
    KcpHandlerBuilder closeWithSession() {
        closeWithSession = true;
        return this;
    }

    /** Makes that the parent of sessions. */
    KcpHandlerBuilder serverChannel(DefaultKcpServerChannel serverChannel) {
        this.serverChannel = serverChannel;
        return this;
    }

    /**
     * Builds a handler for one channel. The builder may be used again, for the next channel.
     *
     * @return a new handler
     */
    public KcpHandler build() {
        return new KcpHandler(new KcpHandlerBuilder(this));
    }
}
