package io.kcp.bench;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.session.PeerTable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a server with many sessions, without a socket, that echoes one small message at a time to a session at random. Most objects of a
 * session are therefore in none of the small caches of the processor when its datagram arrives. One operation of {@link #echo} receives
 * a message, sends its echo, and receives the acknowledgement of the echo. The cost of the embedded channel is included.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar LoneMessageBenchmark</pre>
 */
public class LoneMessageBenchmark extends NanosecondBenchmark {

    private static final int BATCH = 8;
    private static final int PAYLOAD_BYTES = 64;
    private static final int WINDOW_SEGMENTS = 128;
    private static final int FIRST_IP = 0x0a000001;
    private static final int FIRST_PORT = 1_024;
    private static final long SEED = 1;
    private static final int MAX_TASKS = 1_000;
    private static final InetSocketAddress SERVER = address(0x0affffff, 9_000);
    private static final KcpConfig CONFIG =
        BenchmarkedSession.config(WINDOW_SEGMENTS).mode(KcpTransferMode.MESSAGE).ackNoDelay(true).build();

    /** Number of open sessions. */
    @Param({"2000", "5000", "20000"})
    public int sessions;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedChannel server;
    @SuppressWarnings("NullAway.Init")
    private PeerTable<?> table;
    /** The sessions in the order in which they send messages. */
    private int[] order = new int[0];
    private int next;
    /** Numbers of the next segment of each client, and of the next segment that each client expects. */
    private int[] nextSn = new int[0];
    private int[] expectedSn = new int[0];
    private final int[] batch = new int[BATCH];
    private final int[] echoTs = new int[BATCH];
    private int clientMs;

    /** Opens all sessions with one message each. */
    @Setup
    public void open() {
        server = new EmbeddedChannel(new KcpHandlerBuilder(new Echo()).build());
        PeerTable<?> found = PeerTable.of(server);
        if (found == null) {
            throw new IllegalStateException("the handler has no table");
        }
        table = found;
        order = shuffled(sessions);
        nextSn = new int[sessions];
        expectedSn = new int[sessions];
        for (int i = 0; i < sessions; i++) {
            echo(1);
        }
        if (table.size() != sessions) {
            throw new IllegalStateException(table.size() + " sessions were opened");
        }
    }

    /** Returns the numbers from 0 to {@code count} (exclusive) in random order. */
    private static int[] shuffled(int count) {
        Random random = new Random(SEED);
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            numbers[i] = numbers[other];
            numbers[other] = i;
        }
        return numbers;
    }

    /** Closes the server and thereby releases all buffers. */
    @TearDown
    public void close() {
        server.finishAndReleaseAll();
    }

    /** Finds the session of a datagram. */
    @Benchmark
    public Object lookUp() {
        int client = nextClient();
        Object session = table.find(address(client), client);
        if (session == null) {
            throw new IllegalStateException("no session of client " + client);
        }
        return session;
    }

    /** Passes messages of several sessions to the server, reads the echoes and acknowledges them. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int echo() {
        return echo(BATCH);
    }

    private int echo(int messages) {
        clientMs++;
        for (int i = 0; i < messages; i++) {
            int client = nextClient();
            batch[i] = client;
            ByteBuf datagram = server.alloc().directBuffer(SegmentHeader.LENGTH + PAYLOAD_BYTES);
            SegmentHeader.write(datagram, client, SegmentHeader.CMD_PUSH, 0, WINDOW_SEGMENTS, clientMs, nextSn[client]++,
                expectedSn[client], PAYLOAD_BYTES);
            receive(client, datagram.writeZero(PAYLOAD_BYTES));
        }
        server.flushInbound();
        for (int i = 0; i < messages; i++) {
            readEcho(i);
        }
        for (int i = 0; i < messages; i++) {
            int client = batch[i];
            ByteBuf datagram = server.alloc().directBuffer(SegmentHeader.LENGTH);
            int sn = expectedSn[client]++;
            SegmentHeader.write(datagram, client, SegmentHeader.CMD_ACK, 0, WINDOW_SEGMENTS, echoTs[i], sn, sn + 1, 0);
            receive(client, datagram);
        }
        server.flushInbound();
        return clientMs;
    }

    private int nextClient() {
        int client = order[next];
        next = next + 1 == sessions ? 0 : next + 1;
        return client;
    }

    private void receive(int client, ByteBuf datagram) {
        server.writeOneInbound(new DatagramPacket(datagram, SERVER, address(client)));
    }

    private void readEcho(int index) {
        for (int tasks = 0; tasks < MAX_TASKS;) {
            DatagramPacket packet = server.readOutbound();
            if (packet == null) {
                // A server that has used up its time for new sessions opens the next session in a task.
                server.runPendingTasks();
                tasks++;
            } else if (isEcho(packet, index)) {
                return;
            }
        }
        throw new IllegalStateException("the server sent no echo to client " + batch[index]);
    }

    /** Returns {@code true} if a datagram contains an echo and not only a probe. Releases the datagram. */
    private boolean isEcho(DatagramPacket packet, int index) {
        ByteBuf datagram = packet.content();
        boolean found = false;
        for (int offset = datagram.readerIndex(); offset < datagram.writerIndex();) {
            if (SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH && SegmentHeader.conv(datagram, offset) == batch[index]
                && SegmentHeader.sn(datagram, offset) == expectedSn[batch[index]]) {
                echoTs[index] = SegmentHeader.ts(datagram, offset);
                found = true;
            }
            offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
        }
        packet.release();
        return found;
    }

    /** Returns a new address of a client. A transport, too, creates the address of each datagram. */
    private static InetSocketAddress address(int client) {
        return address(FIRST_IP + client, FIRST_PORT + client % FIRST_PORT);
    }

    private static InetSocketAddress address(int ip, int port) {
        try {
            return new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {(byte) (ip >> 24), (byte) (ip >> 16), (byte) (ip >> 8), (byte) ip}), port);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Sends every received message back. */
    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.channel().config().setOption(KcpChannelOption.KCP_CONFIG, CONFIG);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
