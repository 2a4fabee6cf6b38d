package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A channel whose events controllers handle: a KCP session, or a smux stream of a session. */
sealed interface ControllerChannel {

    static ControllerChannel of(Channel channel) {
        return channel instanceof SmuxStreamChannel stream ? new Stream(stream, (KcpChannel) stream.parent())
            : new Session((KcpChannel) channel);
    }

    /** Returns the channel that carries the messages. */
    Channel channel();

    /** Returns the session, which is the channel itself or the parent channel of the stream. */
    KcpChannel session();

    /** Returns the exception that describes why the channel was closed, or null. */
    @Nullable Throwable closeCause();

    /** Returns {@code true} if the channel is closed or is about to close. Any thread may call this method. */
    boolean isClosing();

    /** Closes the channel. Any thread may call this method. */
    void closeBecause(Throwable cause);

    /** A session without streams. */
    record Session(KcpChannel channel) implements ControllerChannel {

        @Override
        public KcpChannel session() {
            return channel;
        }

        @Override
        public @Nullable Throwable closeCause() {
            return channel.closeCause();
        }

        @Override
        public boolean isClosing() {
            return channel.isClosing();
        }

        @Override
        public void closeBecause(Throwable cause) {
            channel.closeBecause(cause);
        }
    }

    /** A stream. Closing it leaves the session open for its other streams. */
    record Stream(SmuxStreamChannel channel, KcpChannel session) implements ControllerChannel {

        /** Returns the close cause of the session if its close has closed the stream. */
        @Override
        public @Nullable Throwable closeCause() {
            Throwable ofSession = channel.closeCause() == null ? null : session.closeCause();
            return ofSession == null ? channel.closeCause() : ofSession;
        }

        @Override
        public boolean isClosing() {
            return !channel.isActive() || channel.isOutputShutdown() || session.isClosing();
        }

        @Override
        public void closeBecause(Throwable cause) {
            channel.close();
        }
    }
}
