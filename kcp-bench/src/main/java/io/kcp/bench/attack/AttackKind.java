package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Attacks, each with its datagrams per second and with the cipher and FEC settings of the server. */
public enum AttackKind {

    /** No attack, which shows how much the measured values vary by themselves. */
    NONE("no attack", 0, Layers.PLAIN),
    /** Random bytes. */
    GARBAGE("garbage", 50_000, Layers.PLAIN),
    /** Valid first datagrams from forged addresses. */
    OPENERS("openers from forged addresses", 50_000, Layers.PLAIN),
    /** Valid first datagrams from forged addresses, each of which is sent twice in a row, so that it looks like a retransmission. */
    OPENERS_TWICE("openers sent twice", 50_000, Layers.PLAIN),
    /** Valid first datagrams from forged addresses, each of which is sent 16 times in a row, so that its session looks active. */
    OPENERS_16("16 copies of each opener", 50_000, Layers.PLAIN),
    /** First datagrams from forged addresses to a server that sends 180 KiB to each new session. */
    GREETING("openers to a server that greets", 5_000, Layers.PLAIN),
    /** First datagrams from forged addresses, each of which is sent twice, to a server that sends 180 KiB to each new session. */
    GREETING_TWICE("first datagrams sent twice to a server that sends 180 KiB", 10_000, Layers.PLAIN),
    /** First datagrams of other conversations from the addresses of live sessions. */
    OTHER_CONV("other conversations on live addresses", 20_000, Layers.PLAIN),
    /** Forged acknowledgements, windows and probes of live sessions. */
    FORGED_ACKS("forged una, ACK and wnd", 20_000, Layers.PLAIN),
    /** Hostile peers with 58 segments in each datagram. */
    SEGMENTS("58 segments per datagram", 20_000, Layers.PLAIN),
    /** Hostile peers that send data but do not read. */
    SLOW_READERS("500 slow readers", 10_000, Layers.PLAIN),
    /** Forged parity and data shards of live sessions. */
    FEC_POISON("forged FEC shards", 20_000, Layers.FEC),
    /** Random bytes to a server with a cipher. */
    BAD_MAC("bad MAC", 50_000, Layers.SEALED),
    /** Recorded first datagrams that are replayed from forged addresses. */
    REPLAYS("replayed openers", 50_000, Layers.SEALED),
    /** All attacks on a server without a cipher at the same time. */
    ALL("all together, no cipher", 0, Layers.FEC),
    /** All attacks on a server with a cipher at the same time. */
    ALL_SEALED("all together, AES-128-GCM", 0, Layers.SEALED);

    /** Cipher and FEC settings of the server and its clients. */
    private enum Layers { PLAIN, FEC, SEALED }

    /** Second bytes {@code x} of the networks 127.x.0.0/16 that contain the source addresses. */
    private static final int FLOOD_NETWORK = 64;
    private static final int OWNER_NETWORK = 96;
    private static final int PEER_NETWORK = 97;
    private static final int OWNERS = 64;
    private static final int GREETED = 256;
    private static final int HOSTILE_SESSIONS = 100;
    private static final int SLOW_SESSIONS = 500;
    /**
     * Number of copies of each first datagram. Earlier versions of the server no longer evicted a session after it had received this
     * number of datagrams.
     */
    private static final int MANY_COPIES = 16;
    private static final int OPENER_PAYLOAD_BYTES = 16;

    private final String title;
    private final int datagramsPerSecond;
    private final Layers layers;

    AttackKind(String title, int datagramsPerSecond, Layers layers) {
        this.title = title;
        this.datagramsPerSecond = datagramsPerSecond;
        this.layers = layers;
    }

    /** Returns a description. */
    public String title() {
        return title;
    }

    /** Returns the name of the server's cipher, or null. */
    public @Nullable String cipher() {
        return layers == Layers.SEALED ? "aes-128-gcm" : null;
    }

    /** Returns the shape of the server's FEC, or null. */
    public @Nullable String fec() {
        return layers == Layers.FEC ? "10:3" : null;
    }

    /** Returns the attacks that run at the same time, with the datagrams per second of each. */
    public Map<AttackKind, Integer> parts() {
        Map<AttackKind, Integer> parts = new TreeMap<>();
        switch (this) {
            case NONE -> { }
            case ALL -> parts.putAll(Map.of(GARBAGE, 25_000, OPENERS, 25_000, OTHER_CONV, 8_000, FORGED_ACKS, 8_000, SEGMENTS, 8_000,
                SLOW_READERS, 5_000, FEC_POISON, 8_000));
            case ALL_SEALED -> parts.putAll(Map.of(BAD_MAC, 35_000, REPLAYS, 25_000, OTHER_CONV, 8_000, FORGED_ACKS, 5_000,
                SEGMENTS, 8_000, SLOW_READERS, 5_000));
            default -> parts.put(this, datagramsPerSecond);
        }
        return parts;
    }

    /** Returns {@code true} if the server sends data to each session as soon as the session opens. */
    public boolean isGreeting() {
        return this == GREETING || this == GREETING_TWICE;
    }

    /** Returns {@code true} if the attack applies to a QUIC server. */
    public boolean appliesToQuic() {
        return this == NONE || !quicParts().isEmpty();
    }

    /** Returns the attacks of {@link #parts} that apply to a QUIC server, with the datagrams per second of each. */
    Map<AttackKind, Integer> quicParts() {
        Map<AttackKind, Integer> parts = this == ALL_SEALED ? new TreeMap<>(Map.of(GARBAGE, 35_000, OPENERS, 25_000, REPLAYS, 25_000))
            : parts();
        parts.keySet().retainAll(List.of(GARBAGE, OPENERS, REPLAYS));
        return this == ALL ? Map.of() : parts;
    }

    /**
     * Returns the traffic for a QUIC server. The traffic contains a recorded first datagram of a connection instead of first datagrams of
     * KCP sessions.
     */
    AttackTraffic quicTraffic(AttackSetup setup, byte[] initial) throws IOException {
        return switch (this) {
            case GARBAGE -> SpoofedFlood.garbage(setup, flood(setup, 0));
            case OPENERS -> SpoofedFlood.quicInitials(setup, flood(setup, 1), initial, true);
            case REPLAYS -> SpoofedFlood.quicInitials(setup, flood(setup, 2), initial, false);
            default -> throw new IllegalStateException(this + " does not apply to QUIC");
        };
    }

    AttackTraffic traffic(AttackSetup setup) throws IOException {
        AttackSources sources = setup.sources();
        return switch (this) {
            case GARBAGE -> SpoofedFlood.garbage(setup, flood(setup, 0));
            case BAD_MAC -> SpoofedFlood.badMac(setup, flood(setup, 0));
            case OPENERS -> SpoofedFlood.openers(setup, flood(setup, 1), OPENER_PAYLOAD_BYTES, 1);
            case OPENERS_TWICE -> SpoofedFlood.openers(setup, flood(setup, 1), OPENER_PAYLOAD_BYTES, 2);
            case OPENERS_16 -> SpoofedFlood.openers(setup, flood(setup, 1), OPENER_PAYLOAD_BYTES, MANY_COPIES);
            case GREETING -> SpoofedFlood.openers(setup, sources.bind(FLOOD_NETWORK, GREETED), 0, 1);
            case GREETING_TWICE -> SpoofedFlood.openers(setup, sources.bind(FLOOD_NETWORK, GREETED), 0, 2);
            case REPLAYS -> new ReplayedOpeners(setup, sources.bind(OWNER_NETWORK, OWNERS), flood(setup, 1));
            case OTHER_CONV -> forged(setup, ForgedSegments.Kind.OTHER_CONVERSATION);
            case FORGED_ACKS -> forged(setup, ForgedSegments.Kind.CONTROL);
            case FEC_POISON -> forged(setup, ForgedSegments.Kind.SHARDS);
            case SEGMENTS -> new HostileSessions(setup, sources.bind(PEER_NETWORK, HOSTILE_SESSIONS));
            case SLOW_READERS -> new SlowReaders(setup, sources.bind(PEER_NETWORK + 1, SLOW_SESSIONS));
            case NONE, ALL, ALL_SEALED -> throw new IllegalStateException(this + " has no traffic of its own");
        };
    }

    private static List<Source> flood(AttackSetup setup, int index) throws IOException {
        return setup.sources().bind(FLOOD_NETWORK + index, setup.spoofedSources());
    }

    private static AttackTraffic forged(AttackSetup setup, ForgedSegments.Kind kind) throws IOException {
        return new ForgedSegments(setup, kind, setup.sources().impersonate(new ArrayList<>(setup.victims().addresses())));
    }

    /** Returns the name in options and results, for example {@code other-conv}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
