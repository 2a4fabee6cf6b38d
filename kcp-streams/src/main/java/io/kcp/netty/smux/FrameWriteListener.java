package io.kcp.netty.smux;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/** Notifies a stream when the parent channel has written one of its frames. A session reuses these listeners. */
final class FrameWriteListener implements ChannelFutureListener {

    private final SmuxContext link;
    private @Nullable AbstractSmuxStream stream;
    private int bytes;
    @Nullable FrameWriteListener nextFree;

    FrameWriteListener(SmuxContext link) {
        this.link = link;
    }

    void begin(AbstractSmuxStream writer, int payloadBytes) {
        stream = writer;
        bytes = payloadBytes;
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        AbstractSmuxStream writer = stream;
        int written = bytes;
        stream = null;
        link.recycle(this);
        if (writer == null) {
            return;
        }
        if (future.isSuccess()) {
            writer.onFrameWritten(written);
        } else {
            link.onWriteFailed(future.cause());
        }
    }
}
