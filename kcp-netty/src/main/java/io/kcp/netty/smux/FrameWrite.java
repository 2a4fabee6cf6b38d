package io.kcp.netty.smux;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/** Notifies a stream when the parent channel has written one of its frames. A session reuses these listeners. */
final class FrameWrite implements ChannelFutureListener {

    private final SmuxSession session;
    private @Nullable DefaultSmuxStreamChannel stream;
    private int bytes;
    @Nullable FrameWrite nextFree;

    FrameWrite(SmuxSession session) {
        this.session = session;
    }

    void begin(DefaultSmuxStreamChannel writer, int payloadBytes) {
        stream = writer;
        bytes = payloadBytes;
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        DefaultSmuxStreamChannel writer = stream;
        int written = bytes;
        stream = null;
        session.recycle(this);
        if (writer == null) {
            return;
        }
        if (future.isSuccess()) {
            writer.output().onFrameWritten(written);
        } else {
            session.onWriteFailed(future.cause());
        }
    }
}
