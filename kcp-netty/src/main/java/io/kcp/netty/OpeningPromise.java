package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FutureListener;
import java.nio.channels.ClosedChannelException;

/**
 * Tells when a channel is open. An event loop that has ended calls no listeners, not those of Netty's futures either, on which
 * opening depends; this one's listeners are called then too, on another thread.
 */
final class OpeningPromise extends DefaultChannelPromise {

    private final EventLoop loop;

    OpeningPromise(Channel channel, EventLoop loop) {
        super(channel, new LastingLoop(loop));
        this.loop = loop;
    }

    /** Has this fail if the loop ends before the channel is open. */
    OpeningPromise failWithLoop() {
        FutureListener<Object> onLoopEnded = ended -> tryFailure(new ClosedChannelException());
        loop.terminationFuture().addListener(onLoopEnded);
        addListener(done -> loop.terminationFuture().removeListener(onLoopEnded));
        return this;
    }

    /** Has this fail with the failure because of which the application closes the session before it is open. */
    OpeningPromise failWithSession(KcpChannel session) {
        ChannelFutureListener onClosed = closed -> {
            Throwable cause = session.closeCause();
            if (cause != null) {
                tryFailure(cause);
            }
        };
        session.closeFuture().addListener(onClosed);
        addListener(done -> session.closeFuture().removeListener(onClosed));
        return this;
    }
}
