package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** One session of the fleet. A message begins with the time it was planned for; the first of all is for the warm-up. */
final class FleetSession extends WorkHandler {

    private final SessionCrowd crowd;
    private final int messageBytes;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable FleetPacer pacer;
    private int gotBytes;
    private long plannedNs;

    FleetSession(LoadRun run, SessionCrowd crowd) {
        super(run);
        this.crowd = crowd;
        messageBytes = Math.max(Long.BYTES, run.options.messageBytes());
    }

    /** Returns the loop of an open session. */
    EventLoop eventLoop() {
        return context().channel().eventLoop();
    }

    private ChannelHandlerContext context() {
        if (ctx == null) {
            throw new IllegalStateException("not open");
        }
        return ctx;
    }

    /** From now on messages that come back are told to that; before the first {@link #send}. */
    void setPacer(FleetPacer pacer) {
        this.pacer = pacer;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ctx = context;
        send(0);
    }

    /** Sends a message; on the event loop. */
    void send(long planned) {
        ChannelHandlerContext context = context();
        run.meter.sent(messageBytes, 1);
        context.writeAndFlush(context.alloc().directBuffer(messageBytes).writeLong(planned).writeZero(messageBytes - Long.BYTES),
            context.voidPromise());
    }

    @Override
    void onRead(ChannelHandlerContext context, ByteBuf buffer) {
        // A stream may cut messages anywhere.
        while (buffer.isReadable()) {
            if (gotBytes < Long.BYTES) {
                plannedNs = plannedNs << Byte.SIZE | buffer.readUnsignedByte();
                gotBytes++;
            } else {
                int bytes = Math.min(buffer.readableBytes(), messageBytes - gotBytes);
                buffer.skipBytes(bytes);
                gotBytes += bytes;
            }
            if (gotBytes == messageBytes) {
                gotBytes = 0;
                onMessage();
            }
        }
    }

    private void onMessage() {
        run.meter.received(messageBytes, 1);
        if (pacer == null) {
            crowd.answered();
        } else {
            pacer.returned(plannedNs);
        }
    }
}
