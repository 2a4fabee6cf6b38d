package io.kcp.bench;

import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends datagrams to the servers of {@link Soak} that belong to no session: random bytes, recorded datagrams of other sessions, modified
 * recorded datagrams, and first datagrams of forged sessions.
 */
final class SoakGarbage implements AutoCloseable {

    private static final int MAX_RECORDED = 64;
    private static final int MAX_BYTES = 1_400;
    private static final int PAYLOAD_BYTES = 100;
    private static final int WINDOW_SEGMENTS = 128;
    private static final int FORGED_PERCENT = 5;
    /** Minimum age of a replayed datagram. A replay that overtook its original would open the session at a wrong address. */
    private static final long MIN_REPLAY_AGE_NS = TimeUnit.SECONDS.toNanos(1);

    /** A datagram, and the time at which it was recorded. */
    private static final class Recorded {

        final byte[] bytes;
        final long atNs = System.nanoTime();

        Recorded(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final DatagramSocket socket = new DatagramSocket();
    private final SplittableRandom random;
    private final BlockingQueue<Recorded> recorded = new ArrayBlockingQueue<>(MAX_RECORDED);
    private long sent;

    SoakGarbage(long seed) throws IOException {
        random = new SplittableRandom(seed);
    }

    /** Keeps a copy of a datagram for a later replay, unless enough datagrams are waiting. Thread-safe. */
    void record(ByteBuf datagram) {
        if (recorded.remainingCapacity() > 0) {
            recorded.offer(new Recorded(ByteBufUtil.getBytes(datagram)));
        }
    }

    long sent() {
        return sent;
    }

    /** Sends one datagram of each kind to one of the servers. */
    void sendToOneOf(List<SoakServer> servers) throws IOException {
        SoakServer server = servers.get(random.nextInt(servers.size()));
        byte[] bytes = new byte[random.nextInt(MAX_BYTES + 1)];
        random.nextBytes(bytes);
        send(server, bytes);
        Recorded replay = recorded.peek();
        if (replay != null && System.nanoTime() - replay.atNs >= MIN_REPLAY_AGE_NS) {
            recorded.remove();
            sendToRoamingServers(servers, replay.bytes);
        }
        if (!server.hasCipher() && random.nextInt(100) < FORGED_PERCENT) {
            send(server, firstDatagram());
        }
    }

    /** Replays a datagram to the servers with roaming, because only their clients are behind a NAT, where datagrams are recorded. */
    private void sendToRoamingServers(List<SoakServer> servers, byte[] replay) throws IOException {
        for (SoakServer server : servers) {
            if (server.roams()) {
                send(server, replay);
                byte[] modified = replay.clone();
                modified[random.nextInt(modified.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                send(server, modified);
            }
        }
    }

    private byte[] firstDatagram() {
        ByteBuf datagram = Unpooled.buffer(SegmentHeader.LENGTH + PAYLOAD_BYTES);
        SegmentHeader.write(datagram, random.nextInt(), SegmentHeader.CMD_PUSH, 0, WINDOW_SEGMENTS, random.nextInt(), 0, 0, PAYLOAD_BYTES);
        datagram.writeZero(PAYLOAD_BYTES);
        return datagram.array();
    }

    private void send(SoakServer server, byte[] bytes) throws IOException {
        InetSocketAddress address = server.address();
        socket.send(new DatagramPacket(bytes, bytes.length, address));
        sent++;
    }

    @Override
    public void close() {
        socket.close();
    }
}
