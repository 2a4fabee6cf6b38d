package io.kcp.netty;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.loop.LoopContext;
import java.io.IOException;
import java.net.DatagramSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests on each transport that a read batch of the maximum length counts as a backlog, with an event loop that the test runs. */
@Timeout(60)
class ReadBacklogTest {

    /** More than the maximum number of datagrams of a read batch, but less than two batches. */
    private static final int DATAGRAMS = 300;

    /**
     * Excludes io_uring, because Netty 4.2 ends a batch there unless the kernel reports that more data waits, which Linux never does for
     * UDP. Each batch then has one datagram, and no backlog can be detected.
     */
    @ParameterizedTest
    @EnumSource(names = "IO_URING", mode = EnumSource.Mode.EXCLUDE)
    void fullReadBatchIsABacklogUntilTheSocketIsDrained(KcpTransport transport) throws IOException {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        try (ServerOnTestThread server = new ServerOnTestThread(transport); DatagramSocket client = ServerOnTestThread.newClient()) {
            server.bind(new KcpServerBootstrap().childHandler(EchoHandler.INSTANCE));
            for (int i = 0; i < DATAGRAMS; i++) {
                server.sendFrom(client, new byte[100]);
            }
            LoopContext context = LoopContext.of(server.loop());
            server.runUntil(context::isBehind);
            server.runUntil(() -> !context.isBehind());
        }
    }
}
