package io.kcp.bench;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * The far end of many idle sessions, without KCP: a session is an address and a conversation id, so a few sockets have
 * room for all of them. Each sends one PUSH, acknowledges what comes back, and answers every WASK. Obeys lines on standard
 * input: {@code open N} opens sessions until there are N, {@code count} tells what came in, the end of input ends it.
 */
final class SessionOpener {

    private static final int MAX_UNANSWERED = 256;
    private static final long RETRY_MS = 200;
    private static final int PAYLOAD_BYTES = 16;
    private static final int WINDOW_SEGMENTS = 1_024;
    private static final int DATAGRAM_BYTES = 2_048;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;
    private static final String END = "end";

    private final Selector selector = Selector.open();
    private final List<DatagramChannel> sockets = new ArrayList<>();
    private final Queue<String> commands = new ConcurrentLinkedQueue<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
    private final ByteBuf received = Unpooled.wrappedBuffer(in);
    private final ByteBuffer out = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
    private final ByteBuf answer = Unpooled.wrappedBuffer(out);
    private final BitSet answered = new BitSet();
    private final BitSet pushed = new BitSet();
    private int wanted;
    private int offered;
    private long retryAtNs;
    private boolean announced = true;
    private long datagramsIn;
    private long pushesIn;
    private long questionsIn;

    SessionOpener(InetSocketAddress server, int socketCount) throws IOException {
        for (int i = 0; i < socketCount; i++) {
            DatagramChannel socket = DatagramChannel.open();
            socket.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            socket.connect(server);
            socket.configureBlocking(false);
            socket.register(selector, SelectionKey.OP_READ, socket);
            sockets.add(socket);
        }
    }

    /** Runs until standard input ends. */
    void run() throws IOException {
        Thread reader = new Thread(this::readCommands, "commands");
        reader.setDaemon(true);
        reader.start();
        JsonLine.event("ready").put("sockets", sockets.size()).print();
        while (true) {
            selector.select(announced ? 0 : RETRY_MS);
            for (SelectionKey key : selector.selectedKeys()) {
                read((DatagramChannel) key.attachment());
            }
            selector.selectedKeys().clear();
            for (String command = commands.poll(); command != null; command = commands.poll()) {
                if (command.equals(END)) {
                    return;
                }
                obey(command);
            }
            open();
        }
    }

    private void readCommands() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.add(line);
                selector.wakeup();
            }
        } catch (IOException closed) {
            System.err.println(closed);
        }
        commands.add(END);
        selector.wakeup();
    }

    private void obey(String command) {
        if (command.startsWith("open ")) {
            wanted = Integer.parseInt(command.substring("open ".length()));
            announced = false;
        } else {
            JsonLine.event("count").put("datagrams_in", datagramsIn).put("pushes_in", pushesIn)
                .put("wasks_in", questionsIn).print();
        }
    }

    private void open() throws IOException {
        long nowNs = System.nanoTime();
        int open = answered.cardinality();
        if (open == wanted) {
            if (!announced) {
                announced = true;
                JsonLine.event("opened").put("sessions", open).print();
            }
            return;
        }
        if (nowNs - retryAtNs > 0) {
            for (int i = answered.nextClearBit(0); i < offered; i = answered.nextClearBit(i + 1)) {
                push(i);
            }
            retryAtNs = nowNs + TimeUnit.MILLISECONDS.toNanos(RETRY_MS);
        }
        while (offered < wanted && offered - open < MAX_UNANSWERED) {
            push(offered++);
        }
    }

    private void push(int index) throws IOException {
        SegmentHeader.write(answer.clear(), index + 1, SegmentHeader.CMD_PUSH, 0, WINDOW_SEGMENTS, 0, 0, 0, PAYLOAD_BYTES);
        answer.writeZero(PAYLOAD_BYTES);
        send(sockets.get(index % sockets.size()));
    }

    private void read(DatagramChannel socket) throws IOException {
        while (true) {
            in.clear();
            int length = socket.read(in);
            if (length <= 0) {
                return;
            }
            datagramsIn++;
            received.setIndex(0, length);
            answer.clear();
            for (int offset = 0; offset + SegmentHeader.LENGTH <= length;) {
                onSegment(offset);
                offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(received, offset);
            }
            if (answer.isReadable()) {
                send(socket);
            }
        }
    }

    private void onSegment(int offset) {
        int conv = SegmentHeader.conv(received, offset);
        int sn = SegmentHeader.sn(received, offset);
        switch (SegmentHeader.cmd(received, offset)) {
            case SegmentHeader.CMD_ACK -> answered.set(conv - 1);
            case SegmentHeader.CMD_PUSH -> {
                pushesIn++;
                pushed.set(conv - 1);
                SegmentHeader.write(answer, conv, SegmentHeader.CMD_ACK, 0, WINDOW_SEGMENTS,
                    SegmentHeader.ts(received, offset), sn, sn + 1, 0);
            }
            case SegmentHeader.CMD_WASK -> {
                questionsIn++;
                SegmentHeader.write(answer, conv, SegmentHeader.CMD_WINS, 0, WINDOW_SEGMENTS, 0, 0,
                    pushed.get(conv - 1) ? 1 : 0, 0);
            }
            default -> {
            }
        }
    }

    private void send(DatagramChannel socket) throws IOException {
        out.limit(answer.writerIndex()).position(0);
        socket.write(out);
        out.limit(out.capacity());
    }
}
