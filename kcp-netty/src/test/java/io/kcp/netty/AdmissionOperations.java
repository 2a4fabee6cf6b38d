package io.kcp.netty;

import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.kcp.netty.internal.admission.SessionCounts;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens, validates, repeats and disturbs sessions of one server from sixteen addresses. The server also closes, refuses and evicts
 * sessions. After each step, the counts of the server must equal the numbers of open sessions, and no limit may be exceeded. At the end,
 * all counts must be 0.
 */
final class AdmissionOperations {

    private static final int MAX_STEPS = 300;
    private static final int MAX_SESSIONS = 12;
    private static final int MAX_PER_ADDRESS = 4;
    private static final int MAX_UNVALIDATED = 6;
    private static final int CONVERSATIONS = 3;
    private static final int MAX_DATAGRAM = 300;
    /** Time in milliseconds after which the server no longer remembers any closed session. */
    private static final int FORGOTTEN_MS = 60_000;
    private static final int NEWCOMER_CONV = 99;
    private static final List<InetSocketAddress> PEERS = new ArrayList<>();

    static {
        for (int i = 0; i < 4; i++) {
            PEERS.add(new InetSocketAddress("192.0.2.1", 1_000 + i));
            PEERS.add(new InetSocketAddress("192.0.2." + (2 + i), 1_000));
            PEERS.add(new InetSocketAddress("2001:db8:0:1::" + (1 + i), 1_000));
            PEERS.add(new InetSocketAddress(i == 0 ? "127.0.0.1" : "2001:db8:0:" + (1 + i) + "::1", 1_000));
        }
    }

    private record Segment(InetSocketAddress peer, WireSegment segment) {
    }

    /** A session of the server, which may fail in its handlers and may send data first. */
    private final class ServerSession extends SessionRecorder {

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            super.handlerAdded(ctx);
            if (fails == Failure.ADDED) {
                throw new IllegalStateException("thrown by the test");
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            super.channelActive(ctx);
            if (fails == Failure.ACTIVE) {
                ctx.close();
            }
            if (greets) {
                ctx.writeAndFlush(link.text("welcome"));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            super.channelInactive(ctx);
            if (fails == Failure.INACTIVE) {
                throw new IllegalStateException("thrown by the test");
            }
        }
    }

    private enum Failure { NONE, ADDED, ACTIVE, INACTIVE }

    private final FuzzChoices choices;
    private final EmbeddedLink link;
    private final SessionCounts counts;
    private final List<Segment> fromServer = new ArrayList<>();
    private final Map<Integer, byte[]> sent = new HashMap<>();
    private Failure fails = Failure.NONE;
    private boolean refuses;
    private boolean greets;
    private boolean stopped;

    AdmissionOperations(byte[] input) {
        choices = new FuzzChoices(input);
        boolean replayFilter = choices.oneIn(8);
        boolean fec = choices.coin();
        link = EmbeddedLink.create(server -> {
            server.maxSessions(MAX_SESSIONS).maxSessionsPerAddress(MAX_PER_ADDRESS).maxUnvalidatedSessions(MAX_UNVALIDATED);
            server.acceptFilter((peer, conv) -> !refuses);
        }, ServerSession::new, replayFilter, channel -> addFec(channel, fec), channel -> { });
        link.server().lose(datagram -> false);
        counts = link.server().counts();
    }

    private static void addFec(Channel channel, boolean sends) {
        channel.pipeline().addLast(new FecCodec(sends ? FecConfig.of(2, 1) : null));
    }

    void run() {
        try (link) {
            for (int i = 0; i < MAX_STEPS && choices.hasMore(); i++) {
                step();
                check();
            }
            fails = Failure.NONE;
            refuses = false;
            link.advanceMs(FORGOTTEN_MS);
            check();
            if (!stopped) {
                welcomeNewcomer();
            }
            open().forEach(session -> session.config().setLingerMs(0));
            open().forEach(Channel::close);
            link.settle();
            check();
            require(counts.sessions() == 0 && counts.addresses() == 0 && counts.unvalidated() == 0, "closed sessions are counted");
        }
    }

    private List<KcpChannel> open() {
        return link.accepted().stream().map(SessionRecorder::session).filter(session -> session != null && session.isActive()).toList();
    }

    private void step() {
        InetSocketAddress peer = PEERS.get(choices.below(PEERS.size()));
        int conv = choices.below(CONVERSATIONS);
        switch (choices.below(16)) {
            case 0, 1, 2, 3 -> push(peer, conv);
            case 4, 5 -> acknowledge(peer, conv);
            case 6 -> receive(peer, WireSegment.control(conv, choices.coin() ? SegmentHeader.CMD_WASK : SegmentHeader.CMD_WINS));
            case 7 -> repeat(peer);
            case 8 -> receive(peer, choices.bytes(choices.below(MAX_DATAGRAM)));
            case 9 -> withFecHeader(peer, conv);
            case 10 -> closeOne();
            case 11 -> fails = Failure.values()[choices.below(Failure.values().length)];
            case 12 -> refuses = choices.oneIn(4);
            case 13 -> greets = choices.coin();
            case 14 -> rare();
            default -> link.advanceMs(choices.below(choices.oneIn(8) ? 40_000 : 1_000));
        }
        collect();
    }

    private void rare() {
        switch (choices.below(6)) {
            case 0 -> link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
            case 1 -> link.server().handler().collectStats();
            case 2 -> link.failClock(choices.below(3));
            case 3 -> {
                if (choices.oneIn(8)) {
                    stopped = true;
                    link.server().handler().stopAccepting();
                }
            }
            default -> writeToOne();
        }
    }

    private void collect() {
        link.failClock(0);
        link.server().channel().runPendingTasks();
        link.server().takePackets().forEach(packet -> {
            try {
                if (fromServer.size() < MAX_DATAGRAM && packet.content().readableBytes() >= SegmentHeader.LENGTH) {
                    read(packet);
                }
            } finally {
                packet.release();
            }
        });
    }

    private void read(DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        int type = FecHeader.type(datagram, datagram.readerIndex());
        if (type == FecHeader.TYPE_PARITY) {
            return;
        }
        int skipped = type == FecHeader.TYPE_DATA ? FecHeader.LENGTH : 0;
        WireSegment.parse(datagram.slice(datagram.readerIndex() + skipped, datagram.readableBytes() - skipped))
            .forEach(segment -> fromServer.add(new Segment(packet.recipient(), segment)));
    }

    private void push(InetSocketAddress peer, int conv) {
        int una = choices.oneIn(8) ? choices.numberNear(0) : 0;
        int sn = choices.oneIn(4) ? choices.numberNear(0) : choices.below(3);
        WireSegment segment = WireSegment.push(conv, sn, una, "x".repeat(choices.below(20)));
        receive(peer, choices.oneIn(8) ? new WireSegment(conv, segment.cmd(), choices.below(256), choices.below(65_536), 0, sn, una, "f")
            : segment);
    }

    /** Acknowledges a segment that the server has sent, either from the address that received it or from another one. */
    private void acknowledge(InetSocketAddress peer, int conv) {
        List<Segment> pushes = fromServer.stream().filter(sent -> sent.segment.isPush()).toList();
        if (pushes.isEmpty()) {
            receive(peer, WireSegment.ack(conv, choices.numberNear(0), choices.numberNear(0)));
            return;
        }
        Segment push = pushes.get(choices.below(pushes.size()));
        int sn = push.segment.sn();
        receive(choices.oneIn(4) ? peer : push.peer, WireSegment.ack(push.segment.conv(), sn, sn + 1).withTs(push.segment.ts()));
    }

    private void repeat(InetSocketAddress peer) {
        byte[] earlier = sent.get(choices.below(Math.max(1, sent.size())));
        if (earlier != null) {
            receive(peer, earlier);
        }
    }

    private void withFecHeader(InetSocketAddress peer, int conv) {
        ByteBuf segment = WireSegment.datagram(link.allocator(), WireSegment.push(conv, choices.below(2), 0, "fec"));
        int type = List.of(FecHeader.TYPE_DATA, FecHeader.TYPE_PARITY, FecHeader.TYPE_OOB).get(choices.below(3));
        ByteBuf shard = link.allocator().directBuffer().writeIntLE(choices.numberNear(0)).writeShortLE(type)
            .writeShortLE(segment.readableBytes() + Short.BYTES).writeBytes(segment);
        segment.release();
        link.server().receive(peer, shard);
    }

    private void receive(InetSocketAddress peer, WireSegment segment) {
        ByteBuf datagram = WireSegment.datagram(link.allocator(), segment);
        byte[] bytes = new byte[datagram.readableBytes()];
        datagram.readBytes(bytes).release();
        receive(peer, bytes);
    }

    private void receive(InetSocketAddress peer, byte[] bytes) {
        sent.put(sent.size(), bytes);
        link.server().receive(peer, link.allocator().directBuffer().writeBytes(bytes));
    }

    private @Nullable KcpChannel oneOpen() {
        List<KcpChannel> open = open();
        return open.isEmpty() ? null : open.get(choices.below(open.size()));
    }

    private void closeOne() {
        KcpChannel session = oneOpen();
        if (session != null) {
            session.config().setLingerMs(choices.coin() ? 0 : 500);
            session.close();
        }
    }

    private void writeToOne() {
        KcpChannel session = oneOpen();
        if (session != null) {
            session.writeAndFlush(link.text("news"));
        }
    }

    /** Checks that a server below its limits accepts a new address and responds to it. */
    private void welcomeNewcomer() {
        greets = true;
        int before = link.accepted().size();
        if (counts.sessions() == MAX_SESSIONS) {
            return;
        }
        InetSocketAddress newcomer = new InetSocketAddress("198.51.100.1", 1);
        receive(newcomer, WireSegment.push(NEWCOMER_CONV, 0, 0, "hello"));
        require(link.accepted().size() == before + 1, "a new address was refused with " + counts.sessions() + " open sessions");
        List<String> messages = link.accepted(before).messages();
        require(messages.equals(List.of("hello")), "the session of a new address received " + messages);
        collect();
        require(fromServer.size() >= MAX_DATAGRAM || fromServer.stream().anyMatch(each -> each.peer.equals(newcomer)
            && each.segment.payload().equals("welcome")), "a new address received no answer");
    }

    private void check() {
        link.server().channel().checkException();
        require(link.server().channel().isOpen(), "the server closed its socket");
        List<KcpChannel> open = open();
        KcpListenerStats stats = link.server().stats();
        require(stats.activeSessions() == open.size() && counts.sessions() == open.size(),
            open.size() + " sessions are open, but " + stats.activeSessions() + " and " + counts.sessions() + " are counted");
        require(open.size() <= MAX_SESSIONS, "more sessions than allowed");
        require(counts.unvalidated() >= 0 && counts.unvalidated() <= MAX_UNVALIDATED, counts.unvalidated() + " unvalidated sessions");
        Map<String, Long> perAddress = open.stream().filter(session -> !session.remoteAddress().getAddress().isLoopbackAddress())
            .collect(Collectors.groupingBy(session -> prefix(session.remoteAddress()), Collectors.counting()));
        require(perAddress.values().stream().allMatch(count -> count <= MAX_PER_ADDRESS), "more sessions per address than allowed");
        require(counts.addresses() == perAddress.size(), counts.addresses() + " addresses are counted instead of " + perAddress.keySet());
        Set<String> identities = open.stream().map(session -> session.conv() + " " + session.remoteAddress()).collect(Collectors.toSet());
        require(identities.size() == open.size(), "two sessions with one identity");
        open.forEach(session -> require(link.server().host().sessions().find(session.remoteAddress(), session.conv()) != null,
            session + " is not in the table"));
    }

    /** Returns an IPv4 address or the first half of an IPv6 address. */
    private static String prefix(InetSocketAddress address) {
        String text = address.getAddress().getHostAddress();
        int[] colons = {0};
        return text.contains(".") ? text
            : text.chars().takeWhile(c -> c != ':' || ++colons[0] < 4).mapToObj(Character::toString).collect(Collectors.joining());
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
