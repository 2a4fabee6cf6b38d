package io.kcp.bench;

import io.kcp.bench.rig.Events;
import io.kcp.bench.rig.Load;
import io.kcp.bench.rig.Workload;
import io.kcp.netty.blocking.KcpSocket;
import java.util.concurrent.Semaphore;
import tools.jackson.databind.node.ObjectNode;

/**
 * Workload that writes blocks to an echo server through blocking sockets, with one writing and one reading thread per session. The number
 * of bytes in flight is limited.
 */
final class BlockingEchoWorkload implements Workload {

    private static final int READ_BYTES = 65_536;
    /** The number of times that the reading thread wakes the writing thread while the outstanding bytes return. */
    private static final int RELEASES = 4;

    private final Load load;
    private final KcpProtocol protocol;
    private final int writeBytes;

    BlockingEchoWorkload(Load load, KcpProtocol protocol) {
        this.load = load;
        this.protocol = protocol;
        writeBytes = load.setup().writeBytes();
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        for (int i = 0; i < load.connections(); i++) {
            protocol.open(load.port(), KcpSocket.handler(this::start), load.setup().termination()::fail);
        }
        Load.Interval interval = load.measure();
        long bytes = interval.load().bytesIn();
        return interval.addTo(Events.event("result").put("work", "echo").put("bytes", bytes)
            .put("mb_s", bytes / 1e6 / interval.load().seconds()));
    }

    private void start(KcpSocket socket) {
        int outstandingBytes = load.outstandingBytes();
        Semaphore free = new Semaphore(outstandingBytes);
        // Releases permits in large steps. A release after each read would measure the semaphore, which the channel workload does not use.
        int releasedBytes = Math.max(1, Math.min(outstandingBytes / RELEASES, outstandingBytes - writeBytes));
        BlockingThreads.start(() -> {
            byte[] block = new byte[writeBytes];
            while (true) {
                free.acquire(writeBytes);
                socket.getOutputStream().write(block);
                load.meter().sent(writeBytes, 1);
            }
        }, load.setup().termination());
        BlockingThreads.start(() -> {
            byte[] buffer = new byte[READ_BYTES];
            int returnedBytes = 0;
            while (true) {
                int bytes = socket.getInputStream().read(buffer);
                load.meter().received(bytes, 1);
                returnedBytes += bytes;
                if (returnedBytes >= releasedBytes) {
                    free.release(returnedBytes);
                    returnedBytes = 0;
                }
            }
        }, load.setup().termination());
    }
}
