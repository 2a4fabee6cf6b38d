package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecHeader;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Sessions of hostile peers that have the key and send data to an echo server without reading the echo. After a few messages, the peers
 * advertise a window of 0, and they respond to each window probe with the same window, so that the server must store the echo.
 */
final class SlowReaders implements AttackTraffic {

    private static final int PAYLOAD_BYTES = 1_000;
    private static final int FIRST_WINDOW_SEGMENTS = 32;
    /** Number of echoed segments after which a peer stops reading. */
    private static final int READ_SEGMENTS = 8;
    private static final int MAX_IN_FLIGHT = 100;

    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final List<Source> peers;
    private final IdentityHashMap<Source, Session> sessions = new IdentityHashMap<>();
    private int next;

    /** The state of one session. */
    private static final class Session {

        private final int conv;
        private int nextSn;
        private int serverUna;
        private int receivedSn;

        Session(int conv) {
            this.conv = conv;
        }

        int windowSegments() {
            return receivedSn >= READ_SEGMENTS ? 0 : FIRST_WINDOW_SEGMENTS;
        }
    }

    SlowReaders(AttackSetup setup, List<Source> peers) {
        this.peers = peers;
        sources = setup.sources();
        datagram = setup.datagram();
        peers.forEach(peer -> sessions.put(peer, new Session(datagram.newConv())));
    }

    @Override
    public void send() throws IOException {
        Source peer = peers.get(next++ % peers.size());
        Session session = Objects.requireNonNull(sessions.get(peer));
        int sn = session.nextSn - session.serverUna < MAX_IN_FLIGHT ? session.nextSn++ : session.serverUna;
        send(peer, session, SegmentHeader.CMD_PUSH, (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime()), sn, PAYLOAD_BYTES);
    }

    private void send(Source peer, Session session, int cmd, int ts, int sn, int payloadBytes) throws IOException {
        datagram.clear().segment(session.conv, cmd, session.windowSegments(), ts, sn, session.receivedSn, payloadBytes)
            .send(sources, peer);
    }

    @Override
    public void received(Source peer, ByteBuf received) throws IOException {
        Session session = sessions.get(peer);
        if (session == null || !datagram.open(received)) {
            return;
        }
        if (FecHeader.isPresent(received)) {
            if (FecHeader.type(received, received.readerIndex()) != FecHeader.TYPE_DATA) {
                return;
            }
            received.skipBytes(FecHeader.LENGTH);
        }
        while (received.readableBytes() >= SegmentHeader.LENGTH) {
            int header = received.readerIndex();
            int sn = SegmentHeader.sn(received, header);
            session.serverUna = Math.max(session.serverUna, SegmentHeader.una(received, header));
            int cmd = SegmentHeader.cmd(received, header);
            if (cmd == SegmentHeader.CMD_PUSH) {
                session.receivedSn += sn == session.receivedSn ? 1 : 0;
                send(peer, session, SegmentHeader.CMD_ACK, SegmentHeader.ts(received, header), sn, 0);
            } else if (cmd == SegmentHeader.CMD_WASK) {
                send(peer, session, SegmentHeader.CMD_WINS, SegmentHeader.ts(received, header), sn, 0);
            }
            received.skipBytes((int) Math.min(received.readableBytes(), SegmentHeader.LENGTH + SegmentHeader.len(received, header)));
        }
    }

    @Override
    public List<Source> sources() {
        return peers;
    }
}
