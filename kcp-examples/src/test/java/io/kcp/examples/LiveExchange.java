package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.testkit.LossyLinkHandler;
import io.kcp.tools.command.WireOptions;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Exchanges data with a live peer in both directions at the same time, over a {@link LossyLinkHandler}. */
final class LiveExchange {

    private static final int OUR_MESSAGE_BYTES = 5_000;
    private static final int THEIR_MESSAGE_BYTES = 1_200;
    private static final int C_MESSAGE_BYTES = 30_000;
    private static final int STREAM_WRITE_BYTES = 16_384;
    private static final long CLIENT_SEED = 1;
    private static final long SERVER_SEED = 2;
    private static final long LINK_SEED = 7;
    private static final String PASSWORD = "it's a live one";

    /** The result of an exchange: the last line of the peer's output and the statistics of the local session. */
    record Outcome(String theirs, KcpSessionStats ours) {
    }

    private final EventLoopGroup group;
    private final String peer;
    private final boolean peerIsServer;
    private final KcpTransferMode mode;
    private final long bytes;
    private LinkConditions link = LinkConditions.PERFECT;
    private String cipherName = WireOptions.NO_CIPHER;
    private int ourMessageBytes = OUR_MESSAGE_BYTES;
    private int intervalMs;
    private int peerWindowSegments;
    private @Nullable FecConfig ourFec;
    private @Nullable FecShape theirFec;

    LiveExchange(EventLoopGroup group, String peer, boolean peerIsServer, KcpTransferMode mode, long bytes) {
        this.group = group;
        this.peer = peer;
        this.peerIsServer = peerIsServer;
        this.mode = mode;
        this.bytes = bytes;
    }

    LiveExchange over(LinkConditions conditions) {
        link = conditions;
        return this;
    }

    LiveExchange cipher(String name) {
        cipherName = name;
        return this;
    }

    /** Writes one message of this library's side per interval. */
    LiveExchange paced(int messageBytes, int writeIntervalMs) {
        ourMessageBytes = messageBytes;
        intervalMs = writeIntervalMs;
        return this;
    }

    /** Sets the send and the receive window of the peer. */
    LiveExchange peerWindow(int segments) {
        peerWindowSegments = segments;
        return this;
    }

    LiveExchange fec(@Nullable FecShape ours, @Nullable FecShape theirs) {
        return fec(ours == null ? null : FecConfig.of(ours), theirs);
    }

    LiveExchange fec(@Nullable FecConfig ours, @Nullable FecShape theirs) {
        ourFec = ours;
        theirFec = theirs;
        return this;
    }

    /** Runs the exchange and compares the digests of both directions. */
    Outcome run(KcpConfig config) throws Exception {
        assertThat(PeerProcess.isInstalled(peer)).as("%s is built; src/interop/install.sh does it", peer).isTrue();
        int ourWriteBytes = mode == KcpTransferMode.MESSAGE ? ourMessageBytes : STREAM_WRITE_BYTES;
        ExchangeSession ours = new ExchangeSession(peerIsServer ? CLIENT_SEED : SERVER_SEED, bytes, bytes, ourWriteBytes, intervalMs);
        Outcome outcome = peerIsServer ? withOurClient(config, ours) : withOurServer(config, ours);
        assertThat(PeerProcess.field(outcome.theirs, "received_sha256")).isEqualTo(ours.sentSha256());
        assertThat(ours.receivedSha256()).isEqualTo(PeerProcess.field(outcome.theirs, "sent_sha256"));
        return outcome;
    }

    private Outcome withOurClient(KcpConfig config, ExchangeSession ours) throws Exception {
        try (PeerProcess process = PeerProcess.start(peer, "server", options())) {
            int port = Integer.parseInt(PeerProcess.field(process.await("ready", 30), "port"));
            KcpBootstrap bootstrap = new KcpBootstrap().group(group).config(config).handler(ours);
            if (crypto() != null) {
                bootstrap.crypto(crypto());
            }
            if (ourFec != null) {
                bootstrap.fec(ourFec);
            }
            bootstrap.datagramHandler(new LossyLinkHandler(link.profile(), LINK_SEED));
            KcpChannel session = bootstrap.connect("127.0.0.1", port).sync().channel();
            ours.done.get(120, TimeUnit.SECONDS);
            String result = process.await("session", 60);
            KcpSessionStats stats = session.collectStats().get();
            session.close().sync();
            return new Outcome(result, stats);
        }
    }

    private Outcome withOurServer(KcpConfig config, ExchangeSession ours) throws Exception {
        CompletableFuture<KcpChannel> accepted = new CompletableFuture<>();
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().group(group).config(config)
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(ours);
                    accepted.complete(session);
                }
            });
        if (crypto() != null) {
            bootstrap.crypto(crypto());
        }
        if (ourFec != null) {
            bootstrap.fec(ourFec);
        }
        // Uses one socket, because a LossyLinkHandler belongs to one channel.
        bootstrap.sockets(1).datagramHandler(new LossyLinkHandler(link.profile(), LINK_SEED));
        KcpServerChannel server = bootstrap.bind("127.0.0.1", 0).sync().channel();
        List<String> options = new ArrayList<>(options());
        options.add("--connect");
        options.add("127.0.0.1:" + Objects.requireNonNull(server.localAddress()).getPort());
        try (PeerProcess process = PeerProcess.start(peer, "client", options)) {
            KcpChannel session = accepted.get(30, TimeUnit.SECONDS);
            ours.done.get(120, TimeUnit.SECONDS);
            String result = process.await("session", 60);
            KcpListenerStats listener = server.collectStats().get();
            if (!isGarbledByPeer()) {
                assertThat(listener.dropped()).as("of a good peer").isEmpty();
            }
            return new Outcome(result, session.collectStats().get());
        } finally {
            server.close().sync();
        }
    }

    /** With sm4, kcp-go corrupts datagrams when it encrypts and decrypts concurrently, even between two of its own peers. */
    boolean isGarbledByPeer() {
        return cipherName.equals("sm4");
    }

    private @Nullable CryptoConfig crypto() {
        return cipherName.equals(WireOptions.NO_CIPHER) ? null : CryptoConfig.kcptun(cipherName, PASSWORD);
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(List.of("--action", "exchange", "--bytes", Long.toString(bytes), "--timeout",
            "120", "--linger-ms", "1000", "--mode", mode.name().toLowerCase(Locale.ROOT)));
        if (mode == KcpTransferMode.MESSAGE) {
            int messageBytes = peer.equals("c") ? C_MESSAGE_BYTES : THEIR_MESSAGE_BYTES;
            options.addAll(List.of("--message-bytes", Integer.toString(messageBytes), "--peer-message-bytes",
                Integer.toString(ourMessageBytes)));
        }
        if (peerWindowSegments > 0) {
            options.addAll(List.of("--sndwnd", Integer.toString(peerWindowSegments), "--rcvwnd", Integer.toString(peerWindowSegments)));
        }
        if (!cipherName.equals(WireOptions.NO_CIPHER)) {
            options.addAll(List.of("--crypt", cipherName, "--key", PASSWORD));
        }
        if (theirFec != null) {
            options.addAll(List.of("--datashard", Integer.toString(theirFec.dataShards()), "--parityshard",
                Integer.toString(theirFec.parityShards())));
        }
        return options;
    }
}
