package io.kcp.netty.blocking;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.netty.smux.SmuxStreamChannelBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A blocking socket on a KCP session or on another channel that transfers a stream of bytes.
 *
 * <pre>{@code
 * try (KcpSocket socket = KcpSocket.connect(bootstrap, new InetSocketAddress("game.example", 9000))) {
 *     socket.getOutputStream().write(request);
 *     int length = socket.getInputStream().read(response);
 * }
 * }</pre>
 *
 * <h2>Threads</h2>
 * One thread may read while another thread writes. A second thread that reads or writes at the same time gets a
 * {@link java.nio.channels.ReadPendingException} or {@link java.nio.channels.WritePendingException}. Any thread may call the other
 * methods. Never call a method that blocks on an event-loop thread. On the event loop of its own channel, such a method throws a
 * {@link BlockingOperationException} instead of waiting. A virtual thread that blocks does not pin its carrier thread.
 *
 * <h2>Reading</h2>
 * The socket stores up to about 256 KiB of received data. The reading thread may hold up to another 256 KiB that it has already taken from
 * this store. When the store is full, the socket stops reading from the channel, so the receive window of the session closes and the peer
 * stops sending. A read returns {@code -1} if the peer has shut down its output, as with the FIN of a smux stream or a TCP connection, or
 * if it has closed TLS with a close_notify alert. On a plain KCP session, a read returns {@code -1} if the peer uses this library and has
 * closed the session without a failure ({@link io.kcp.netty.KcpCloseReason#PEER_CLOSED}). A read throws a {@link KcpSocketException} if
 * the session closes for any other reason of {@link io.kcp.netty.KcpCloseReason}, for example because the peer is gone. Data that has
 * already been received is returned first.
 *
 * <h2>Writing</h2>
 * A write returns when the socket has stored the data. The socket then sends the data. No call of {@code flush()} is necessary. Writes
 * block while 256 KiB are stored and the channel is not writable, because the peer does not read or the network is slow.
 *
 * <h2>Closing and interrupts</h2>
 * {@link #close()} returns immediately. Written data is still sent, as {@link KcpChannel#close()} describes. A thread that is blocked in
 * a read or write gets an {@link AsynchronousCloseException}, and later calls throw a {@link ClosedChannelException}. As with the
 * channels of {@code java.nio}, interrupting a thread in a read or write closes the socket, and the thread gets a
 * {@link ClosedByInterruptException}.
 */
public final class KcpSocket implements Closeable {

    private final SocketHandler handler;
    private final Channel channel;
    private final ReceiveHandoff received;
    private final SendHandoff sent;
    private final InputStream input = new SocketInputStream(this);
    private final OutputStream output = new SocketOutputStream(this);
    private final AtomicReference<@Nullable ChannelFuture> closing = new AtomicReference<>();

    private KcpSocket(SocketHandler handler) {
        this.handler = handler;
        channel = handler.channel();
        received = handler.received();
        sent = handler.sent();
    }

    // ---- opening

    /**
     * Opens a KCP session. Nothing is sent, because KCP has no handshake. The session uses stream mode.
     *
     * @param bootstrap the settings of the session; its handler is not used. Several threads may connect with the same bootstrap while no
     *                  thread changes its settings.
     * @param address   the peer
     * @return the socket
     * @throws KcpSocketException         if the name cannot be resolved or no UDP socket can be opened
     * @throws ClosedByInterruptException if the thread is interrupted
     */
    public static KcpSocket connect(KcpBootstrap bootstrap, SocketAddress address) throws IOException {
        return connect(bootstrap, address, null);
    }

    /**
     * Opens a KCP session whose data passes through further handlers, such as an {@code SslHandler}.
     *
     * @param bootstrap   the settings of the session; its handler is not used. Several threads may connect with the same bootstrap while
     *                    no thread changes its settings.
     * @param address     the peer
     * @param initializer added to the pipeline before the handler of the socket, null for none
     * @return the socket
     * @throws KcpSocketException         if the name cannot be resolved or no UDP socket can be opened
     * @throws ClosedByInterruptException if the thread is interrupted
     */
    public static KcpSocket connect(KcpBootstrap bootstrap, SocketAddress address, @Nullable ChannelHandler initializer)
        throws IOException {
        AtomicReference<@Nullable KcpSocket> opened = new AtomicReference<>();
        KcpFuture<KcpChannel> connecting =
            bootstrap.connect(address, new SocketInitializer(initializer, channel -> opened.set(wrap(channel))));
        try {
            EventLoopWaiter.await(connecting, connecting.channel(), 0);
        } catch (BlockingOperationException onEventLoop) {
            connecting.channel().close();
            throw onEventLoop;
        } catch (InterruptedException interrupted) {
            connecting.channel().close();
            throw interrupted();
        }
        return opened(opened.get(), connecting, "Cannot connect to " + address);
    }

    /**
     * Opens a smux stream as a socket. Unlike a KCP session, a stream has an end: {@link #shutdownOutput()} sends a FIN, and a read
     * returns {@code -1} after the FIN of the peer. To accept streams, use {@link #handler} as the child handler of the
     * {@link io.kcp.netty.smux.SmuxHandler}. This method blocks, so it may be called by any thread except an event-loop thread.
     *
     * @param parent the channel whose pipeline contains a {@link io.kcp.netty.smux.SmuxHandler}
     * @return the socket
     * @throws KcpSocketException         if the parent channel is closed or has no stream id left
     * @throws ClosedByInterruptException if the thread is interrupted; the stream is then closed
     * @throws IllegalStateException      if the pipeline contains no {@link io.kcp.netty.smux.SmuxHandler}
     */
    public static KcpSocket openStream(Channel parent) throws IOException {
        AtomicReference<@Nullable KcpSocket> opened = new AtomicReference<>();
        Future<SmuxStreamChannel> opening =
            new SmuxStreamChannelBootstrap(parent).handler(new SocketInitializer(null, channel -> opened.set(wrap(channel)))).open();
        try {
            EventLoopWaiter.await(opening, parent, 0);
        } catch (BlockingOperationException onEventLoop) {
            closeWhenOpen(opening);
            throw onEventLoop;
        } catch (InterruptedException interrupted) {
            closeWhenOpen(opening);
            throw interrupted();
        }
        return opened(opened.get(), opening, "Cannot open a stream on " + parent);
    }

    private static void closeWhenOpen(Future<SmuxStreamChannel> opening) {
        opening.addListener((Future<SmuxStreamChannel> done) -> {
            if (done.isSuccess()) {
                done.getNow().close();
            }
        });
    }

    private static KcpSocket opened(@Nullable KcpSocket socket, Future<?> opening, String message) throws IOException {
        Throwable cause = opening.cause();
        if (cause != null || socket == null) {
            throw KcpSocketException.of(message, cause == null ? new ClosedChannelException() : cause);
        }
        return socket;
    }

    /**
     * Returns a channel handler that creates a socket for each channel to which it is added. Use it as the child handler of a server, for
     * example to run one virtual thread per session.
     *
     * <pre>{@code
     * serverBootstrap.childHandler(KcpSocket.handler(socket -> executor.execute(() -> {
     *     try (socket) {
     *         socket.getInputStream().transferTo(socket.getOutputStream());
     *     } catch (IOException closed) {
     *         System.out.println(closed.getMessage());
     *     }
     * })));
     * }</pre>
     *
     * @param opened called with each socket on its event loop; must not block. An exception closes the channel.
     * @return a sharable handler
     */
    public static ChannelHandler handler(Consumer<KcpSocket> opened) {
        Objects.requireNonNull(opened, "opened");
        return new SocketInitializer(null, channel -> {
            KcpSocket socket = wrap(channel);
            try {
                opened.accept(socket);
            } catch (RuntimeException failure) {
                socket.handler.closeBecause(failure);
            }
        });
    }

    /**
     * Creates a socket for a channel that transfers a stream of bytes, such as a KCP session, a smux stream or a TCP connection. A KCP
     * session is changed to stream mode. On other channels, half-closure is allowed.
     *
     * <p>The socket does not receive data that arrives before this call. Call this method in a {@code ChannelInitializer}, before any
     * data is requested from the peer, or while auto-read is off. The socket enables auto-read. This method may be called by any thread.
     *
     * @param channel a connected channel, whose pipeline delivers {@code ByteBuf}s to its last handler and accepts {@code ByteBuf}s from it
     * @return the socket, whose handler is the last one of the pipeline
     */
    public static KcpSocket wrap(Channel channel) {
        SocketHandler handler = new SocketHandler(channel);
        KcpSocket socket = new KcpSocket(handler);
        channel.pipeline().addLast(handler);
        handler.closeUnlessAdded();
        return socket;
    }

    /**
     * Returns the channel of this socket, for its options, addresses and statistics.
     *
     * @return the channel; a {@link KcpChannel} if the socket was connected or accepted as a KCP session
     */
    public Channel channel() {
        return channel;
    }

    // ---- reading

    /**
     * Returns a stream that reads from this socket. Closing the stream closes the socket.
     *
     * @return always the same stream
     */
    public InputStream getInputStream() {
        return input;
    }

    /**
     * Reads received data, and waits until there is any.
     *
     * @param target the buffer to fill from its position
     * @return the number of bytes, 0 only if the buffer has no room, or {@code -1} if the peer has shut down its output or has closed its
     *         KCP session
     * @throws SocketTimeoutException     if no data arrives within the time set by {@link #setSoTimeout}
     * @throws KcpSocketException         if the channel was closed by a failure, or by the peer before it shut down its output
     * @throws AsynchronousCloseException if another thread closes the socket during the read
     * @throws ClosedByInterruptException if the thread is interrupted, which closes the socket
     * @throws ClosedChannelException     if the socket is closed
     */
    public int read(ByteBuffer target) throws IOException {
        if (!target.hasRemaining()) {
            return emptyRead();
        }
        try {
            return received.read(target);
        } catch (InterruptedException interrupted) {
            throw closedByInterrupt();
        }
    }

    int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return emptyRead();
        }
        try {
            return received.read(target, offset, length);
        } catch (InterruptedException interrupted) {
            throw closedByInterrupt();
        }
    }

    /** Returns the buffer of received data. */
    ReceiveHandoff received() {
        return received;
    }

    private int emptyRead() throws IOException {
        if (received.isClosed()) {
            throw new ClosedChannelException();
        }
        return 0;
    }

    int available() throws IOException {
        return received.available();
    }

    /**
     * Sets the maximum time for which a read waits for data. The time counts from the start of the read. A change takes effect
     * immediately, even for a read that is waiting. After a timeout the socket can still be used.
     *
     * @param timeoutMs milliseconds, 0 to wait without limit (the default)
     */
    public void setSoTimeout(int timeoutMs) {
        received.setTimeoutMs(notNegative(timeoutMs));
    }

    /**
     * Returns the maximum time for which a read waits for data.
     *
     * @return milliseconds, 0 for no limit
     */
    public int getSoTimeout() {
        return received.timeoutMs();
    }

    // ---- writing

    /**
     * Returns a stream that writes to this socket. It does not need to be flushed. Closing the stream closes the socket.
     *
     * @return always the same stream
     */
    public OutputStream getOutputStream() {
        return output;
    }

    /**
     * Writes all remaining bytes of a buffer, and waits until the socket has room for them.
     *
     * @param source the bytes; after an exception the position of the buffer shows how many bytes the socket has stored
     * @throws SocketTimeoutException     if the socket has no room for the time set by {@link #setWriteTimeout}
     * @throws KcpSocketException         if the channel was closed by a failure or the output was shut down
     * @throws AsynchronousCloseException if another thread closes the socket during the write
     * @throws ClosedByInterruptException if the thread is interrupted, which closes the socket
     * @throws ClosedChannelException     if the socket is closed
     */
    public void write(ByteBuffer source) throws IOException {
        try {
            sent.write(source);
        } catch (InterruptedException interrupted) {
            throw closedByInterrupt();
        }
    }

    /**
     * Sets the maximum time for which a write waits for room. The time starts again whenever the socket has stored a part of the data. A
     * change takes effect immediately, even for a write that is waiting.
     *
     * @param timeoutMs milliseconds, 0 to wait without limit (the default)
     */
    public void setWriteTimeout(int timeoutMs) {
        sent.setTimeoutMs(notNegative(timeoutMs));
    }

    /**
     * Returns the maximum time for which a write waits for room.
     *
     * @return milliseconds, 0 for no limit
     */
    public int getWriteTimeout() {
        return sent.timeoutMs();
    }

    private static int notNegative(int timeoutMs) {
        if (timeoutMs < 0) {
            throw new IllegalArgumentException("timeoutMs: " + timeoutMs + " (expected: at least 0)");
        }
        return timeoutMs;
    }

    // ---- closing

    /**
     * Shuts down the output. The peer reads all written data and then the end of the stream. This side can still read. This method does
     * not wait until the data is sent.
     *
     * @throws ClosedChannelException        if the socket is closed
     * @throws UnsupportedOperationException if the channel cannot shut down its output; a KCP session cannot, but a smux stream on it can
     */
    public void shutdownOutput() throws IOException {
        if (!(channel instanceof DuplexChannel)) {
            throw new UnsupportedOperationException("KCP cannot shut down one direction, so the output of " + channel
                + " cannot be shut down. Use a smux stream, or send the end of the data as a message.");
        }
        if (isClosed()) {
            throw new ClosedChannelException();
        }
        handler.shutdownOutput();
    }

    /**
     * Closes the socket without waiting. Data that was written is still sent, for at most the linger time of a KCP session or smux
     * stream. Received data that was not read is discarded. Does nothing if the socket is closed.
     */
    @Override
    public void close() {
        startClose();
    }

    /**
     * Closes the socket and waits until the peer has acknowledged all written data. On a channel other than a KCP session, this method
     * waits until the data was sent.
     *
     * @param timeout the maximum time to wait, which should be longer than the linger time
     * @throws KcpSocketException     if data was lost; for a KCP session, the cause reports the number of unacknowledged bytes
     * @throws SocketTimeoutException if the timeout expires; the channel still closes later
     * @throws InterruptedIOException if the thread is interrupted; the channel still closes later
     */
    public void close(Duration timeout) throws IOException {
        ChannelFuture closed = startClose();
        try {
            if (!EventLoopWaiter.await(closed, channel, Math.max(1, timeout.toMillis()))) {
                throw new SocketTimeoutException("Not closed within " + timeout.toMillis() + " ms: " + channel);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while " + channel + " was closing");
        }
        Throwable cause = closed.cause();
        if (cause == null) {
            cause = SocketHandler.closeCause(channel);
        }
        if (cause == null) {
            cause = handler.writeFailure();
        }
        if (cause != null) {
            throw KcpSocketException.of("Closed before all data was delivered", cause);
        }
        if (sent.discardedBytes() > 0) {
            throw new KcpSocketException("Closed before all data was delivered: " + sent.discardedBytes() + " bytes were not sent");
        }
    }

    /**
     * Returns {@code true} if this socket was closed on this side. If a failure has closed the channel, this method still returns
     * {@code false} until {@link #close()} is called.
     *
     * @return {@code true} after {@link #close()} or an interrupt
     */
    public boolean isClosed() {
        return received.isClosed();
    }

    private ChannelFuture startClose() {
        ChannelPromise promise = channel.newPromise();
        ChannelFuture first = closing.compareAndExchange(null, promise);
        if (first != null) {
            return first;
        }
        received.close();
        sent.close();
        return channel.close(promise);
    }

    private ClosedByInterruptException closedByInterrupt() {
        close();
        return interrupted();
    }

    private static ClosedByInterruptException interrupted() {
        Thread.currentThread().interrupt();
        return new ClosedByInterruptException();
    }

    @Override
    public String toString() {
        return "KcpSocket(" + channel + ')';
    }
}
