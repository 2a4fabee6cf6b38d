package io.kcp.netty.smux;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;

/**
 * Stops the parent channel from reading while the receive buffer is full. Defers calls of {@code read()}, and disables auto-read, because
 * a socket with auto-read continues to read without {@code read()}.
 */
final class ReadSuppression {

    private final ChannelHandlerContext context;
    private boolean suppressed;
    private boolean autoReadDisabled;
    private boolean readDeferred;

    ReadSuppression(ChannelHandlerContext context) {
        this.context = context;
    }

    boolean isSuppressed() {
        return suppressed;
    }

    void suppress(boolean suppress) {
        if (suppress == suppressed) {
            return;
        }
        suppressed = suppress;
        ChannelConfig config = context.channel().config();
        if (suppress) {
            autoReadDisabled = config.isAutoRead();
            if (autoReadDisabled) {
                config.setAutoRead(false);
            }
            return;
        }
        boolean deferred = readDeferred;
        readDeferred = false;
        if (autoReadDisabled) {
            autoReadDisabled = false;
            config.setAutoRead(true);
        }
        if (deferred) {
            // setAutoRead() reads only if it changes the value. Another handler may have enabled auto-read while reading was suppressed.
            context.read();
        }
    }

    /** Returns {@code true} if a {@code read()} may proceed. Otherwise, the {@code read()} is deferred until reading resumes. */
    boolean mayRead() {
        readDeferred |= suppressed;
        return !suppressed;
    }
}
