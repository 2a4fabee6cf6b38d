package io.kcp.netty.blocking;

import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.BlockingOperationException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A server that accepts KCP sessions as blocking sockets.
 *
 * <pre>{@code
 * try (KcpServerSocket server = KcpServerSocket.bind(serverBootstrap, new InetSocketAddress(9000))) {
 *     while (true) {
 *         KcpSocket socket = server.accept();
 *         executor.execute(new Conversation(socket));     // one virtual thread for each session
 *     }
 * }
 * }</pre>
 *
 * <p>A session is already open before it is accepted, and stores received data up to its limits. There is no separate backlog: the limits
 * of the bootstrap, such as {@link KcpServerBootstrap#maxSessions}, include the sessions that have not been accepted yet, and each of these
 * may store up to 256 KiB. A session that closes before it is accepted is never returned.
 *
 * <p>Any thread may call any method, and several threads may accept at the same time. Never call a method that blocks on an event-loop
 * thread.
 */
public final class KcpServerSocket implements Closeable {

    private final KcpServerChannel channel;
    private final AcceptQueue queue;

    private KcpServerSocket(KcpServerChannel channel, AcceptQueue queue) {
        this.channel = channel;
        this.queue = queue;
        queue.setChannel(channel);
        channel.closeFuture().addListener(closed -> queue.fail(new ClosedChannelException()));
    }

    /**
     * Binds a server.
     *
     * @param bootstrap the settings of the server and its sessions; its child handler is replaced
     * @param address   the local address, port 0 for any port
     * @return the server
     * @throws KcpSocketException         if the port is in use or the event loops have terminated
     * @throws ClosedByInterruptException if the thread is interrupted
     */
    public static KcpServerSocket bind(KcpServerBootstrap bootstrap, SocketAddress address) throws IOException {
        return bind(bootstrap, address, null);
    }

    /**
     * Binds a server that adds further handlers, such as an {@code SslHandler}, to the pipelines of its sessions.
     *
     * @param bootstrap   the settings of the server and its sessions; its child handler is replaced
     * @param address     the local address, port 0 for any port
     * @param initializer added to the pipeline of each session before the handler of the socket; must be sharable, null for none
     * @return the server
     * @throws KcpSocketException         if the port is in use or the event loops have terminated
     * @throws ClosedByInterruptException if the thread is interrupted
     */
    public static KcpServerSocket bind(KcpServerBootstrap bootstrap, SocketAddress address, @Nullable ChannelHandler initializer)
        throws IOException {
        AcceptQueue queue = new AcceptQueue();
        KcpFuture<KcpServerChannel> binding = bootstrap
            .childHandler(new SocketInitializer(initializer, channel -> queue.add(KcpSocket.wrap(channel)))).bind(address);
        try {
            EventLoopWaiter.await(binding, binding.channel(), 0);
        } catch (BlockingOperationException onEventLoop) {
            binding.channel().close();
            throw onEventLoop;
        } catch (InterruptedException interrupted) {
            binding.channel().close();
            throw interrupted();
        }
        Throwable cause = binding.cause();
        if (cause != null) {
            throw KcpSocketException.of("Cannot bind " + address, cause);
        }
        return new KcpServerSocket(binding.channel(), queue);
    }

    /**
     * Accepts the next session, and waits until a peer opens one.
     *
     * @return the socket of the session
     * @throws AsynchronousCloseException if another thread closes the server during the wait
     * @throws ClosedByInterruptException if the thread is interrupted, which closes the server
     * @throws ClosedChannelException     if the server is closed
     */
    public KcpSocket accept() throws IOException {
        return acceptWithin(0);
    }

    /**
     * Accepts the next session, and waits until a peer opens one or the timeout expires.
     *
     * @param timeout the maximum time to wait, at least one millisecond
     * @return the socket of the session
     * @throws SocketTimeoutException     if no session is opened before the timeout expires
     * @throws AsynchronousCloseException if another thread closes the server during the wait
     * @throws ClosedByInterruptException if the thread is interrupted, which closes the server
     * @throws ClosedChannelException     if the server is closed
     */
    public KcpSocket accept(Duration timeout) throws IOException {
        long timeoutMs = timeout.toMillis();
        if (timeoutMs < 1) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: at least 1 ms)");
        }
        return acceptWithin(timeoutMs);
    }

    private KcpSocket acceptWithin(long limitMs) throws IOException {
        try {
            return queue.accept(limitMs);
        } catch (InterruptedException interrupted) {
            close();
            throw interrupted();
        }
    }

    private static ClosedByInterruptException interrupted() {
        Thread.currentThread().interrupt();
        return new ClosedByInterruptException();
    }

    /**
     * Returns the server channel, for statistics and for {@link KcpServerChannel#stopAccepting()}.
     *
     * @return the channel
     */
    public KcpServerChannel channel() {
        return channel;
    }

    /**
     * Returns the local address to which the server is bound.
     *
     * @return the address with the actual port
     */
    public InetSocketAddress localAddress() {
        InetSocketAddress address = channel.localAddress();
        if (address == null) {
            throw new IllegalStateException("not bound: " + channel);
        }
        return address;
    }

    /**
     * Closes the server and all its sessions without waiting. The sessions share the UDP sockets of the server and cannot continue
     * without them. Their written data is still sent within the linger time. A thread that is blocked in {@link #accept()} gets an
     * {@link AsynchronousCloseException}. Does nothing if the server is closed.
     */
    @Override
    public void close() {
        queue.close();
        channel.close();
    }

    /**
     * Returns {@code true} if this server was closed.
     *
     * @return {@code true} after {@link #close()} or an interrupt
     */
    public boolean isClosed() {
        return queue.isClosed();
    }

    @Override
    public String toString() {
        return "KcpServerSocket(" + channel + ')';
    }
}
