package io.kcp.netty;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.admission.SessionLimits;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The server process that {@link OpenerFloodTest} attacks: an echo server that does not trust loopback. Its settings are the defaults,
 * except that the argument {@value #EVICTION_ONLY} disables the limits that apply before a session is opened.
 */
public final class FloodedServer {

    static final String EVICTION_ONLY = "eviction-only";
    static final String PORT = "port ";
    static final String REPORT = "report ";
    private static final int LOOPS = 2;
    private static final int PATIENCE_S = 60;

    private FloodedServer() {
    }

    /**
     * Runs until standard input has a line or is closed, then prints the counters of the server.
     *
     * @param arguments none, or {@value #EVICTION_ONLY}
     * @throws Exception if the server cannot bind, or an event loop has terminated
     */
    public static void main(String[] arguments) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(LOOPS, KcpTransport.best().ioHandlerFactory());
        KcpServerBootstrap bootstrap =
            new KcpServerBootstrap().group(group).crypto(null).trustedPrefixes().childHandler(EchoHandler.INSTANCE);
        if (List.of(arguments).contains(EVICTION_ONLY)) {
            bootstrap.retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false).openingsPerSecondUnderLoad(0)
                .unknownDatagramsPerSecond(0);
        }
        KcpServerChannel server = bootstrap.bind(0).sync().channel();
        System.out.println(PORT + server.localAddress().getPort());
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while ("report".equals(orders.readLine())) {
            int alive = 0;
            for (EventExecutor loop : group) {
                loop.submit(() -> { }).get(PATIENCE_S, TimeUnit.SECONDS);
                alive++;
            }
            KcpListenerStats stats = server.collectStats().get(PATIENCE_S, TimeUnit.SECONDS);
            System.out.println(REPORT + alive + ' ' + stats.activeSessions() + ' ' + stats.maxSessions() + ' ' + stats.openedSessions()
                + ' ' + SessionLimits.DEFAULT.maxSessions() + ' ' + stats.closed() + stats.dropped());
        }
        // Halts without a graceful close, because the sessions opened by the flood would make it linger.
        Runtime.getRuntime().halt(0);
    }
}
