package io.kcp.interop.javakcp;

import io.kcp.interop.peer.Options;
import io.kcp.interop.peer.Peer;
import io.kcp.interop.peer.Protocol;
import io.kcp.interop.peer.SessionListener;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.function.Supplier;
import kcp.ChannelConfig;
import kcp.KcpClient;
import kcp.KcpListener;
import kcp.KcpServer;
import kcp.Ukcp;
import threadPool.netty.NettyMessageExecutorPool;

/**
 * Load program of java-Kcp (com.github.l42111996). The server has one epoll socket per processor, and clients use NIO. Sessions run on
 * separate threads, not on the event loops of the sockets.
 */
public final class JavaKcpPeer implements Protocol {

    private static final int BIND_ATTEMPTS = 200;
    private static final long BIND_WAIT_MS = 10;

    private final ChannelConfig config = new ChannelConfig();
    private final int socketBufferBytes;
    private KcpClient client;

    private JavaKcpPeer(Options options) {
        config.nodelay(options.number("nodelay", 1) == 1, options.number("interval", 10), options.number("resend", 2),
            options.number("nc", 1) == 1);
        int window = options.number("window", 1024);
        config.setSndwnd(window);
        config.setRcvwnd(window);
        config.setMtu(options.number("mtu", 1400));
        config.setStream(options.flag("stream", false));
        config.setAckNoDelay(options.flag("acknodelay", true));
        config.setFastFlush(options.flag("fast-flush", true));
        config.setiMessageExecutorPool(new NettyMessageExecutorPool(options.threads()));
        // java-Kcp limits the number of queued writes to writeBufferSize divided by the MTU.
        int queuedWrites = options.number("queued-writes", options.messages() ? 2 * window : 256);
        if (options.work().equals("source") || options.work().equals("echo") && options.port() != 0) {
            config.setWriteBufferSize(queuedWrites * config.getMtu());
        }
        socketBufferBytes = options.number("sockbuf", 4 << 20);
    }

    /** Runs the load program of java-Kcp. */
    public static void main(String[] arguments) {
        Peer.run(arguments, JavaKcpPeer::new);
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws Exception {
        int free = port != 0 ? port : freePort();
        KcpServer server = new KcpServer();
        server.init(new Listening(listeners), config, free);
        // server.init() returns before the sockets of the server are bound, but the server's list of sockets already contains all of them.
        List<Channel> sockets = member(server, "localAddresss", List.class);
        for (Channel socket : sockets) {
            for (int i = 0; !socket.isActive(); i++) {
                if (i == BIND_ATTEMPTS) {
                    throw new IOException("port " + free + " could not be bound");
                }
                Thread.sleep(BIND_WAIT_MS);
            }
            // Sets the sizes of the socket buffers here, because java-Kcp has no option for them.
            socket.config().setOption(ChannelOption.SO_RCVBUF, socketBufferBytes);
            socket.config().setOption(ChannelOption.SO_SNDBUF, socketBufferBytes);
        }
        return free;
    }

    /** Returns a free port. Port 0 cannot be used, because java-Kcp binds several sockets and each would get a different port. */
    private static int freePort() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void connect(int port, SessionListener listener) throws Exception {
        startedClient().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), config, new Connecting(listener));
    }

    private synchronized KcpClient startedClient() throws ReflectiveOperationException {
        if (client == null) {
            client = new KcpClient();
            client.init(config);
            Bootstrap sockets = member(client, "bootstrap", Bootstrap.class);
            sockets.option(ChannelOption.SO_RCVBUF, socketBufferBytes).option(ChannelOption.SO_SNDBUF, socketBufferBytes);
        }
        return client;
    }

    @SuppressWarnings("unchecked")
    private static <T> T member(Object of, String name, Class<?> type) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return (T) type.cast(field.get(of));
    }

    /** Forwards the events of one session to the session's {@link SessionListener}. */
    private static final class Connecting implements KcpListener {

        private final SessionListener listener;
        private UkcpSession session;

        Connecting(SessionListener listener) {
            this.listener = listener;
        }

        @Override
        public void onConnected(Ukcp ukcp) {
            session = new UkcpSession(ukcp);
            listener.opened(session);
        }

        @Override
        public void handleReceive(ByteBuf message, Ukcp ukcp) {
            listener.received(session, message);
            listener.receivedAll(session);
        }

        @Override
        public void handleException(Throwable cause, Ukcp ukcp) {
            listener.failed(cause);
        }

        @Override
        public void handleClose(Ukcp ukcp) {
            if (!session.closing()) {
                listener.failed(new IOException("closed"));
            }
        }
    }

    /**
     * Forwards the events of a server's sessions to the listener of each session. The listener is stored in the cache of the session's user
     * object.
     */
    private static final class Listening implements KcpListener {

        private final Supplier<SessionListener> listeners;

        Listening(Supplier<SessionListener> listeners) {
            this.listeners = listeners;
        }

        @Override
        public void onConnected(Ukcp ukcp) {
            Connecting each = new Connecting(listeners.get());
            ukcp.user().setCache(each);
            each.onConnected(ukcp);
        }

        @Override
        public void handleReceive(ByteBuf message, Ukcp ukcp) {
            each(ukcp).handleReceive(message, ukcp);
        }

        @Override
        public void handleException(Throwable cause, Ukcp ukcp) {
            each(ukcp).handleException(cause, ukcp);
        }

        @Override
        public void handleClose(Ukcp ukcp) {
            each(ukcp).handleClose(ukcp);
        }

        private static Connecting each(Ukcp ukcp) {
            return ukcp.user().getCache();
        }
    }
}
