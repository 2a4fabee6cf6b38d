package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.kcp.core.SegmentHeader;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sessions of hostile peers that have the key. Each datagram consists of 58 segments, which is the maximum that fits. The segments are
 * acknowledgements of random segments, or empty segments at random positions of the receive window.
 */
final class HostileSessions implements AttackTraffic {

    private static final int SEGMENTS = AttackDatagram.LARGE_BYTES / SegmentHeader.LENGTH;
    private static final int WINDOW_SEGMENTS = 128;

    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final SplittableRandom random;
    private final List<Source> peers;
    private final int[] convs;
    private int next;

    HostileSessions(AttackSetup setup, List<Source> peers) {
        this.peers = peers;
        sources = setup.sources();
        datagram = setup.datagram();
        random = datagram.random;
        convs = peers.stream().mapToInt(peer -> datagram.newConv()).toArray();
    }

    @Override
    public void send() throws IOException {
        int peer = next % peers.size();
        int conv = convs[peer];
        datagram.clear();
        if (next < peers.size()) {
            datagram.opener(conv, Long.BYTES);
        } else {
            int cmd = random.nextBoolean() ? SegmentHeader.CMD_ACK : SegmentHeader.CMD_PUSH;
            for (int i = 0; i < SEGMENTS; i++) {
                datagram.segment(conv, cmd, WINDOW_SEGMENTS, random.nextInt(), 2 + random.nextInt(WINDOW_SEGMENTS), 0, 0);
            }
        }
        next++;
        datagram.send(sources, peers.get(peer));
    }
}
