package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.test.AllocationMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs an echo server with a legitimate client and an attacker that has the key. Datagrams from and to the attacker are modified before the
 * cipher encrypts them, and in transit. In addition, the attacker replays and forges datagrams. The session of the legitimate client must
 * stay open and receive every echo.
 */
final class PipelineOperations {

    private static final InetSocketAddress ATTACKER = new InetSocketAddress("10.0.0.66", 6_000);
    private static final InetSocketAddress STRANGER = new InetSocketAddress("192.0.2.66", 666);
    private static final int VICTIM_CONV = 7;
    private static final int MAX_STEPS = 200;
    private static final int MAX_ATTACKING_SESSIONS = 4;
    private static final int MAX_RECORDED = 32;
    private static final int MAX_DATAGRAM = 1_500;
    private static final int MAX_ADVANCE_MS = 20_000;
    private static final int RECOVERY_MS = 20_000;
    /** Maximum memory for the windows, FEC groups and datagrams of all sessions that a run can open. */
    private static final long MAX_HELD_BYTES = 24 << 20;
    private static final @Nullable String[] CIPHERS = {null, "aes-128-gcm", "aes", "salsa20", "none", "xor"};
    private static final @Nullable FecConfig[] FECS = {null, FecConfig.of(2, 1), FecConfig.of(4, 2)};

    private final FuzzChoices choices;
    private final boolean authenticated;
    private final List<DatagramMutator> mutators = new ArrayList<>();
    private final List<byte[]> recorded = new ArrayList<>();
    private final List<byte[]> recordedOfVictim = new ArrayList<>();
    private final List<SessionRecorder> attacking = new ArrayList<>();
    private final AllocationMeter allocation;
    private final EmbeddedLink link;
    private final EmbeddedLink.End attacker;
    private final SessionRecorder victim = new SessionRecorder();
    private final List<String> written = new ArrayList<>();
    private int advancedMs;
    private int lossEvery;
    private int sent;

    /** Creates a run that measures the allocations for each injected datagram of an open session. */
    PipelineOperations(byte[] input, AllocationMeter allocation) {
        this.allocation = allocation;
        choices = new FuzzChoices(input);
        String cipher = CIPHERS[choices.below(CIPHERS.length)];
        authenticated = cipher != null && cipher.endsWith("gcm");
        CryptoConfig crypto = cipher == null ? null : CryptoConfig.kcptun(cipher, "it's a secrect");
        FecConfig fec = FECS[choices.below(FECS.length)];
        FecConfig ofServer = choices.coin() ? fec : null;
        link = EmbeddedLink.create(server -> server.maxSessionsPerAddress(64), PipelineOperations::echo,
            channel -> addHandlers(channel, crypto, ofServer, packet -> ATTACKER.equals(packet.recipient())),
            channel -> addHandlers(channel, crypto, fec, packet -> false));
        attacker = link.addClient(ATTACKER, channel -> addHandlers(channel, crypto, fec, packet -> true));
        link.connect(link.client(), VICTIM_CONV, victim);
        link.client().lose(this::isLostOfVictim);
        attacker.lose(this::isLostOfAttacker);
    }

    private static SessionRecorder echo() {
        return new SessionRecorder() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ctx.writeAndFlush(message);
            }
        };
    }

    private void addHandlers(Channel channel, @Nullable CryptoConfig crypto, @Nullable FecConfig fec, Predicate<KcpDatagram> mutated) {
        if (crypto != null) {
            channel.pipeline().addLast(new CryptoCodec(crypto));
        }
        DatagramMutator ofShards = new DatagramMutator(mutated);
        DatagramMutator ofSegments = new DatagramMutator(mutated);
        channel.pipeline().addLast(ofShards, new FecCodec(fec), ofSegments);
        mutators.add(ofShards);
        mutators.add(ofSegments);
    }

    private static void record(List<byte[]> datagrams, ByteBuf datagram) {
        if (datagrams.size() < MAX_RECORDED) {
            datagrams.add(ByteBufUtil.getBytes(datagram));
        }
    }

    private boolean isLostOfVictim(ByteBuf datagram) {
        record(recordedOfVictim, datagram);
        return lossEvery > 0 && ++sent % lossEvery == 0;
    }

    private boolean isLostOfAttacker(ByteBuf datagram) {
        record(recorded, datagram);
        if (choices.oneIn(8)) {
            DatagramMutator.change(datagram, choices);
        }
        return choices.oneIn(8);
    }

    void run() {
        try (link) {
            writeToServer("first");
            link.settle();
            mutators.forEach(mutator -> mutator.mutate(choices));
            for (int i = 0; i < MAX_STEPS && choices.hasMore(); i++) {
                step();
                check();
            }
            mutators.forEach(mutator -> mutator.mutate(new FuzzChoices(new byte[0])));
            attacker.loseNothing();
            link.client().loseNothing();
            writeToServer("last");
            link.advanceMs(RECOVERY_MS);
            check();
            require(victim.messages().equals(written), "the legitimate client received " + victim.messages().size() + " of "
                + written.size() + " echoes");
            attacking.forEach(session -> session.session().config().setLingerMs(0));
        }
    }

    private void step() {
        switch (choices.below(14)) {
            case 0, 1, 2 -> writeOfAttacker();
            case 3 -> writeToServer("x".repeat(choices.below(3_000)));
            case 4 -> connect();
            case 5, 6 -> inject(ATTACKER, recorded);
            case 7 -> injectRaw();
            case 8 -> replayOfVictim();
            case 9 -> lossEvery = choices.below(4) * 2;
            case 10 -> toggleReading();
            case 11 -> sendOutOfBand();
            default -> advance();
        }
        if (choices.coin()) {
            link.settle();
        }
    }

    private void writeToServer(String text) {
        String message = written.size() + "." + text;
        written.add(message);
        victim.session().writeAndFlush(link.text(message));
    }

    private void connect() {
        if (attacking.size() < MAX_ATTACKING_SESSIONS) {
            attacking.add(link.connect(attacker, attacking.size(), new SessionRecorder()));
        }
    }

    private @Nullable KcpChannel ofAttacker() {
        if (attacking.isEmpty()) {
            connect();
        }
        KcpChannel session = attacking.get(choices.below(attacking.size())).session();
        return session.isActive() ? session : null;
    }

    private void writeOfAttacker() {
        KcpChannel session = ofAttacker();
        if (session != null) {
            session.writeAndFlush(link.bytes(choices.below(4_000)));
        }
    }

    private void sendOutOfBand() {
        KcpChannel session = ofAttacker();
        if (session != null) {
            session.sendOob(link.bytes(choices.below(MAX_DATAGRAM)));
        }
    }

    private void toggleReading() {
        if (link.accepted().size() > 1) {
            KcpChannel session = link.accepted(1 + choices.below(link.accepted().size() - 1)).session();
            if (!session.remoteAddress().equals(EmbeddedLink.CLIENT_ADDRESS)) {
                session.config().setAutoRead(choices.coin());
            }
        }
    }

    /** Delivers a modified copy of a recorded datagram to the server. */
    private void inject(InetSocketAddress from, List<byte[]> datagrams) {
        if (!datagrams.isEmpty()) {
            ByteBuf copy = link.allocator().directBuffer().writeBytes(datagrams.get(choices.below(datagrams.size())));
            int changes = choices.below(3);
            for (int i = 0; i < changes; i++) {
                DatagramMutator.change(copy, choices);
            }
            receive(from, copy);
        }
    }

    /** Encrypts arbitrary bytes with the cipher of the attacker, and delivers the result to the server. */
    private void injectRaw() {
        ByteBuf bytes = link.allocator().directBuffer().writeBytes(choices.bytes(choices.below(MAX_DATAGRAM)));
        attacker.channel().writeOutbound(new DatagramPacket(bytes, EmbeddedLink.SERVER_ADDRESS));
        attacker.takePackets().forEach(packet -> receive(ATTACKER, packet.content()));
    }

    private void replayOfVictim() {
        if (choices.coin()) {
            inject(choices.coin() ? STRANGER : ATTACKER, recordedOfVictim);
        } else if (!recordedOfVictim.isEmpty()) {
            byte[] datagram = recordedOfVictim.get(choices.below(recordedOfVictim.size()));
            ByteBuf copy = link.allocator().directBuffer().writeBytes(datagram);
            if (authenticated && choices.coin()) {
                DatagramMutator.change(copy, choices);
            }
            receive(EmbeddedLink.CLIENT_ADDRESS, copy);
        }
    }

    private void receive(InetSocketAddress from, ByteBuf datagram) {
        long opened = link.accepted().size();
        AllocationMeter one = new AllocationMeter();
        one.measure(() -> link.server().receive(from, datagram));
        if (link.accepted().size() == opened) {
            allocation.add(one);
        }
    }

    private void advance() {
        int ms = choices.below(2_000);
        if (advancedMs + ms <= MAX_ADVANCE_MS) {
            advancedMs += ms;
            link.advanceMs(ms);
        }
    }

    private void check() {
        link.server().channel().checkException();
        link.client().channel().checkException();
        attacker.channel().checkException();
        require(link.server().channel().isOpen(), "the server closed its socket");
        require(victim.session().isActive(), "the legitimate session closed: " + victim.session().closeCause());
        require(victim.messages().size() <= written.size()
            && victim.messages().equals(written.subList(0, victim.messages().size())), "the legitimate client received other data");
        require(link.outstandingBytes() < MAX_HELD_BYTES, link.outstandingBytes() + " bytes are held");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
