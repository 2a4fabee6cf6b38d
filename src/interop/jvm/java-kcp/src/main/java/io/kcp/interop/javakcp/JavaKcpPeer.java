package io.kcp.interop.javakcp;

import io.kcp.bench.rig.KcpSettings;
import io.kcp.bench.rig.LoadProgram;
import io.kcp.bench.rig.Product;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.kcp.bench.rig.Work;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import kcp.ChannelConfig;
import kcp.KcpClient;
import kcp.KcpListener;
import kcp.KcpServer;
import kcp.Ukcp;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import threadPool.netty.NettyMessageExecutorPool;

/**
 * Load program of java-Kcp (com.github.l42111996). The server has one epoll socket per processor, and clients use NIO. Sessions run on
 * separate threads, not on the event loops of the sockets.
 */
public final class JavaKcpPeer implements Protocol {

    private static final int BIND_ATTEMPTS = 200;
    private static final long BIND_WAIT_MS = 10;
    private static final int BULK_WRITES = 256;

    private final ChannelConfig config = new ChannelConfig();
    private final Setup setup;
    private final int socketBufferBytes;
    /** Opens sessions, because the library waits for the socket of a new session. */
    private final Executor opener;
    private @Nullable KcpClient client;

    private JavaKcpPeer(Options options, Setup setup) {
        this.setup = setup;
        KcpSettings kcp = options.kcp;
        config.nodelay(kcp.noDelay == 1, kcp.intervalMs, kcp.fastResend, kcp.noCongestionControl == 1);
        config.setSndwnd(kcp.windowSegments);
        config.setRcvwnd(kcp.windowSegments);
        config.setMtu(kcp.mtuBytes);
        config.setStream(options.stream);
        config.setAckNoDelay(options.ackNoDelay);
        config.setFastFlush(options.fastFlush);
        config.setiMessageExecutorPool(new NettyMessageExecutorPool(setup.threads()));
        // java-Kcp limits the number of queued writes to writeBufferSize divided by the MTU.
        if (!setup.server() && (setup.work() == Work.SOURCE || setup.work() == Work.ECHO)) {
            int queuedWrites = options.queuedWrites > 0 ? options.queuedWrites : setup.isMessages() ? 2 * kcp.windowSegments : BULK_WRITES;
            config.setWriteBufferSize(queuedWrites * config.getMtu());
        }
        socketBufferBytes = options.socketBufferBytes;
        // connect() blocks, so the number of event loops would limit how many sessions open at once.
        opener = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("opener", true));
    }

    /** Runs the load program of java-Kcp. */
    public static void main(String[] arguments) {
        LoadProgram.main("java-kcp-peer", new Options(), arguments);
    }

    /** Options of java-Kcp. */
    private static final class Options implements Product {

        @Mixin
        private final KcpSettings kcp = new KcpSettings();

        @Option(names = "--stream", arity = "0..1", fallbackValue = "true", defaultValue = "false",
            description = "stream mode (${DEFAULT-VALUE})")
        private boolean stream;

        @Option(names = "--acknodelay", arity = "0..1", fallbackValue = "true", defaultValue = "true",
            description = "send acknowledgements with the next flush (${DEFAULT-VALUE})")
        private boolean ackNoDelay;

        @Option(names = "--fast-flush", arity = "0..1", fallbackValue = "true", defaultValue = "true",
            description = "send data at once instead of with the next update (${DEFAULT-VALUE})")
        private boolean fastFlush;

        @Option(names = "--sockbuf", defaultValue = "4194304", description = "sizes of the socket buffers in bytes (${DEFAULT-VALUE})")
        private int socketBufferBytes;

        @Option(names = "--queued-writes", defaultValue = "0",
            description = "source, echo: writes that a session may queue (256; for messages, two windows)")
        private int queuedWrites;

        @Override
        public Protocol start(Setup setup) {
            return new JavaKcpPeer(this, setup);
        }
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
    public void connect(int port, SessionListener listener) {
        opener.execute(() -> {
            try {
                startedClient().connect(new InetSocketAddress(setup.host(), port), config, new Connecting(listener));
            } catch (ReflectiveOperationException | RuntimeException failure) {
                listener.failed(failure);
            }
        });
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
        private @Nullable UkcpSession session;

        Connecting(SessionListener listener) {
            this.listener = listener;
        }

        private UkcpSession session() {
            return Objects.requireNonNull(session, "the session is not open");
        }

        @Override
        public void onConnected(Ukcp ukcp) {
            session = new UkcpSession(ukcp);
            listener.opened(session);
        }

        /** Passes the message to the listener, which takes it. The library releases the message too. */
        @Override
        public void handleReceive(ByteBuf message, Ukcp ukcp) {
            try {
                listener.received(session(), message.retain());
                listener.receivedAll(session());
            } catch (RuntimeException failure) {
                listener.failed(failure);
            }
        }

        @Override
        public void handleException(Throwable cause, Ukcp ukcp) {
            listener.failed(cause);
        }

        @Override
        public void handleClose(Ukcp ukcp) {
            if (!session().closing()) {
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
