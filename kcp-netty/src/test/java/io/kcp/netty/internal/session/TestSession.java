package io.kcp.netty.internal.session;

import io.kcp.core.conversation.Kcp;
import io.kcp.netty.internal.stats.SessionDetails;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A session that is never registered, for tests of the tables, queues and timers of sessions. */
final class TestSession extends AbstractSession {

    private static final InetSocketAddress NO_ADDRESS = InetSocketAddress.createUnresolved("none", 0);

    private final InetSocketAddress remote;
    /** Set by tests that need a conversation. */
    @Nullable Kcp kcp;
    /** Cause of {@link #closeForMemory}. */
    @Nullable Throwable memoryCause;

    TestSession(int conv) {
        this(conv, NO_ADDRESS);
    }

    TestSession(int conv, InetSocketAddress remote) {
        super(null, conv, false);
        this.remote = remote;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public ChannelMetadata metadata() {
        return new ChannelMetadata(false);
    }

    @Override
    public ChannelConfig config() {
        return new DefaultChannelConfig(this);
    }

    @Override
    public Kcp kcp() {
        if (kcp == null) {
            throw notRegistered();
        }
        return kcp;
    }

    @Override
    public boolean isClosedByPeer() {
        return false;
    }

    @Override
    public int overheadBytes() {
        return 0;
    }

    @Override
    public void onConfigChanged() {
        throw notRegistered();
    }

    @Override
    public void onAutoReadCleared() {
        throw notRegistered();
    }

    @Override
    public boolean sendOob(ByteBuf payload, ChannelPromise promise) {
        throw notRegistered();
    }

    @Override
    public boolean isServingTimeOver() {
        throw notRegistered();
    }

    @Override
    public void onBatch() {
        throw notRegistered();
    }

    @Override
    public void onBatchDelivered() {
        throw notRegistered();
    }

    @Override
    public void onUnblocked(long nowMs) {
        throw notRegistered();
    }

    @Override
    public void onDeadline(long nowMs) {
        throw notRegistered();
    }

    @Override
    public void onSweep(long nowMs) {
        throw notRegistered();
    }

    @Override
    public void readOob(ByteBuf payload) {
        throw notRegistered();
    }

    @Override
    public void flushWritten() {
        throw notRegistered();
    }

    @Override
    public void resume() {
        throw notRegistered();
    }

    @Override
    public void failWith(Throwable failure) {
        throw notRegistered();
    }

    @Override
    public SessionDetails details() {
        throw notRegistered();
    }

    @Override
    public void evict() {
        setState(SessionState.CLOSED);
    }

    @Override
    public void closeForMemory(Throwable cause) {
        memoryCause = cause;
        setState(SessionState.CLOSED);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
                throw notRegistered();
            }
        };
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return false;
    }

    @Override
    protected SocketAddress localAddress0() {
        return NO_ADDRESS;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw notRegistered();
    }

    @Override
    protected void doDisconnect() {
        throw notRegistered();
    }

    @Override
    protected void doClose() {
        throw notRegistered();
    }

    @Override
    protected void doBeginRead() {
        throw notRegistered();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer queue) {
        throw notRegistered();
    }

    private static IllegalStateException notRegistered() {
        return new IllegalStateException("this session is never registered");
    }
}
