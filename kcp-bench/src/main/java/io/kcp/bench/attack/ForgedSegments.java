package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecHeader;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** Sends forged datagrams from the addresses of live sessions. The attacker has no key. */
final class ForgedSegments implements AttackTraffic {

    /** Kind of the forged datagrams. */
    enum Kind {
        /** First datagrams of other conversations. */
        OTHER_CONVERSATION,
        /** Forged acknowledgements, windows of 0 and probes of the live conversation. */
        CONTROL,
        /** Parity shards and data shards with random content. */
        SHARDS
    }

    private static final int PAYLOAD_BYTES = 16;
    private static final int SHARD_BYTES = 90;
    private static final int MAX_WINDOW_SEGMENTS = 1_024;
    /** Upper bound of sequence numbers that are close to those of a live session, which has exchanged a few hundred messages. */
    private static final int NEAR_NUMBERS = 4_000;

    private final Kind kind;
    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final SplittableRandom random;
    private final AttackVictims victims;
    private final List<Source> impersonated;
    private int next;

    ForgedSegments(AttackSetup setup, Kind kind, List<Source> impersonated) {
        this.kind = kind;
        this.impersonated = impersonated;
        sources = setup.sources();
        datagram = setup.datagram();
        random = datagram.random;
        victims = setup.victims();
    }

    @Override
    public void send() throws IOException {
        int victim = next++ % impersonated.size();
        datagram.clear();
        switch (kind) {
            case OTHER_CONVERSATION -> datagram.opener(random.nextInt(), PAYLOAD_BYTES);
            case CONTROL -> control(victims.convs().get(victim));
            case SHARDS -> datagram.shard(number(), random.nextInt(4) == 0 ? FecHeader.TYPE_DATA : FecHeader.TYPE_PARITY, SHARD_BYTES);
        }
        datagram.sendAsIs(sources, impersonated.get(victim));
    }

    private void control(int conv) {
        int cmd = random.nextInt(SegmentHeader.CMD_ACK, SegmentHeader.CMD_WINS + 1);
        int window = random.nextBoolean() ? 0 : random.nextInt(MAX_WINDOW_SEGMENTS);
        datagram.segment(conv, cmd, window, random.nextInt(), number(), number(), 0);
    }

    /** Returns a random number. In half of all cases, the number is close to the sequence numbers of a live session. */
    private int number() {
        return random.nextBoolean() ? random.nextInt() : random.nextInt(NEAR_NUMBERS);
    }
}
