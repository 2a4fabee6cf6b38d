package io.kcp.tools.tunnel;

import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Transfers bytes between a smux stream and a socket in both directions. Both channels must use the same event loop, on which this class
 * runs.
 *
 * <p><b>Back-pressure.</b> A channel is read only while the other one is writable, so a slow receiver slows down its sender, and each
 * channel buffers little more than its high water mark.
 *
 * <p><b>Half-close.</b> When the input of one channel has ended, the relay shuts down the output of the other channel after writing all
 * data. The opposite direction continues, until it has transferred nothing for the close-wait time since then. Both channels are then
 * closed, and the kernel still delivers what a slow receiver has not read. With a close-wait time of 0, the end of either direction closes
 * both channels, as in kcptun.
 *
 * <p><b>Failures.</b> If the session of the stream fails, the TCP connection is reset, so that its application can distinguish truncated
 * data from complete data. smux has no reset, so if the socket fails, the relay closes the stream with a FIN.
 */
final class Relay {

    private final SmuxStreamChannel stream;
    private final DuplexChannel socket;
    private final int closeWaitSeconds;
    private final StreamCounters counters;
    private final Direction fromStream;
    private final Direction fromSocket;
    private @Nullable Future<?> closeWait;
    private long bytes;
    private boolean finished;

    /**
     * Creates a relay between two open channels.
     *
     * @param stream           the stream, which is not read yet
     * @param socket           the socket, which is not read yet
     * @param closeWaitSeconds see above
     * @param counters         counts this relay as a stream
     */
    Relay(SmuxStreamChannel stream, DuplexChannel socket, int closeWaitSeconds, StreamCounters counters) {
        this.stream = stream;
        this.socket = socket;
        this.closeWaitSeconds = closeWaitSeconds;
        this.counters = counters;
        fromStream = new Direction(stream, socket);
        fromSocket = new Direction(socket, stream);
    }

    /**
     * Adds the handlers of the relay to both pipelines. An accepted socket must not be registered yet, because epoll reads a socket whose
     * peer has ended its output even without auto-read.
     */
    void attach() {
        stream.pipeline().addLast(fromStream);
        socket.pipeline().addLast(fromSocket);
    }

    /** Starts to read both registered channels. If one of them has been closed in the meantime, closes the other one. */
    void start() {
        counters.onOpened();
        fromStream.readWhileWritable();
        fromSocket.readWhileWritable();
        if (!stream.isActive()) {
            onStreamInactive();
        } else if (!socket.isActive()) {
            onSocketInactive();
        }
    }

    private void onStreamInactive() {
        if (stream.closeCause() != null && !fromStream.inputEnded) {
            abort();
            return;
        }
        // The peer has sent all its data, so the socket is not reset but closed after it has written the data.
        fromStream.endOutput();
        if (fromStream.outputEnded) {
            closeBoth();
        }
    }

    private void onSocketInactive() {
        finish();
        stream.close();
    }

    /** Closes both channels, and resets a TCP connection. */
    private void abort() {
        if (socket.isOpen() && socket instanceof SocketChannel) {
            socket.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        closeBoth();
    }

    private void closeBoth() {
        finish();
        socket.close();
        stream.close();
    }

    private void finish() {
        if (!finished) {
            finished = true;
            counters.onClosed();
            Future<?> timer = closeWait;
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    private void onOutputEnded() {
        if (closeWaitSeconds == 0 || fromStream.outputEnded && fromSocket.outputEnded || !stream.isActive()) {
            closeBoth();
        } else if (closeWait == null && !finished) {
            scheduleCloseWait(bytes, pendingBytes());
        }
    }

    private void scheduleCloseWait(long bytesBefore, long pendingBefore) {
        closeWait = stream.eventLoop().schedule(() -> {
            if (finished) {
                return;
            }
            if (bytes == bytesBefore && pendingBytes() == pendingBefore) {
                closeBoth();
            } else {
                scheduleCloseWait(bytes, pendingBytes());
            }
        }, closeWaitSeconds, TimeUnit.SECONDS);
    }

    private long pendingBytes() {
        return pendingBytes(stream) + pendingBytes(socket);
    }

    private static long pendingBytes(Channel channel) {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Handles the inbound events of one channel. */
    private final class Direction extends ChannelInboundHandlerAdapter {

        private final DuplexChannel from;
        private final DuplexChannel to;
        private boolean inputEnded;
        private boolean outputEnded;

        Direction(DuplexChannel from, DuplexChannel to) {
            this.from = from;
            this.to = to;
        }

        void readWhileWritable() {
            // Netty throws an exception if auto-read is enabled on an epoll socket whose input has ended.
            if (!from.isInputShutdown()) {
                from.config().setAutoRead(to.isWritable());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int length = ((ByteBuf) message).readableBytes();
            bytes += length;
            if (from == stream) {
                counters.onBytesToSocket(length);
            } else {
                counters.onBytesFromSocket(length);
            }
            to.write(message, to.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            to.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            (from == stream ? fromSocket : fromStream).readWhileWritable();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                endOutput();
            }
        }

        /** Ends the output of the other channel when it has written all data. */
        void endOutput() {
            if (inputEnded) {
                return;
            }
            inputEnded = true;
            to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (!written.isSuccess()) {
                    closeBoth();
                } else if (to.isOutputShutdown()) {
                    onEnded();
                } else {
                    to.shutdownOutput().addListener(ended -> onEnded());
                }
            });
        }

        private void onEnded() {
            outputEnded = true;
            onOutputEnded();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (from == stream) {
                onStreamInactive();
            } else {
                onSocketInactive();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The connection was reset or the session failed. channelInactive() then closes the other channel.
            context.close();
        }
    }
}
