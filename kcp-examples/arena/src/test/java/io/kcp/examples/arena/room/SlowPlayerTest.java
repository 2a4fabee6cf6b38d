package io.kcp.examples.arena.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.spring.KcpServers;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that messages for a player that does not read stay in the log and are delivered later. */
@Timeout(60)
class SlowPlayerTest {

    private static final String ROOM = "slow";
    private static final int MESSAGES = 4_000;
    private static final String TEXT = "x".repeat(400);
    /** Covers the high water mark, the messages of one tick, and responses. */
    private static final long MAX_QUEUED_BYTES = 160 * 1024;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private RunningArena arena;

    @BeforeEach
    void startArena() {
        arena = new RunningArena("arena.say-rate=10000", "arena.history=20000");
    }

    @AfterEach
    void stopArena() {
        arena.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void missedMessagesAreSentAtReadingSpeed() throws InterruptedException {
        try (TestPlayer ann = new TestPlayer(group, arena.players()); TestPlayer gone = new TestPlayer(group, arena.players());
             TestPlayer bob = new TestPlayer(group, arena.players())) {
            RoomPosition start = gone.join(ROOM, "bob").await(ServerMessage.Welcome.class).position();
            gone.crash();
            ann.join(ROOM, "ann").await(ServerMessage.Welcome.class);
            say(ann, 1, MESSAGES);
            bob.setReading(false);
            bob.say(new ClientMessage.Join(ROOM, "bob", TestPlayer.TOKEN, 2, true, start, 1));
            KcpChannel queue = awaitNotWritable("bob");
            say(ann, MESSAGES + 1, MESSAGES + 100);
            assertBounded(queue);
            bob.setReading(true);
            assertThat(bob.await(ServerMessage.Welcome.class).resumed()).isTrue();
            awaitAll(bob, 1, MESSAGES + 100);
            say(ann, MESSAGES + 101, MESSAGES + 200);
            awaitAll(bob, MESSAGES + 101, MESSAGES + 200);
            assertThat(arena.kicked(KickReason.EXPIRED)).isZero();
        }
    }

    @Test
    @Tag("slow")
    void playerResumesReadingWithoutLostMessages() throws InterruptedException {
        try (TestPlayer ann = new TestPlayer(group, arena.players()); TestPlayer bob = new TestPlayer(group, arena.players())) {
            ann.join(ROOM, "ann").await(ServerMessage.Welcome.class);
            bob.join(ROOM, "bob").await(ServerMessage.Welcome.class);
            for (int first = 1; first < 3 * MESSAGES; first += MESSAGES) {
                bob.setReading(false);
                say(ann, first, first + MESSAGES - 1);
                assertBounded(awaitNotWritable("bob"));
                bob.setReading(true);
                awaitAll(bob, first, first + MESSAGES - 1);
            }
            assertThat(arena.kicked(KickReason.EXPIRED)).isZero();
        }
    }

    /** Returns after all messages have been added to the log. */
    private static void say(TestPlayer player, int from, int to) throws InterruptedException {
        for (int i = from; i <= to; i++) {
            player.say(new ClientMessage.Say(i, TEXT));
        }
        for (int i = from; i <= to; i++) {
            assertThat(player.await(ServerMessage.Ack.class).sequence()).isEqualTo(i);
        }
    }

    private static void awaitAll(TestPlayer player, int from, int to) throws InterruptedException {
        for (int i = from; i <= to; i++) {
            assertThat(player.await(ServerMessage.Said.class).sequence()).isEqualTo(i);
        }
    }

    private KcpChannel awaitNotWritable(String name) {
        KcpServerChannel server = Objects.requireNonNull(arena.bean(KcpServers.class).find("server")).channel();
        AtomicReference<KcpChannel> found = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            server.forEachSession(view -> {
                Player player = Player.of(view.channel());
                if (player != null && player.name().equals(name) && view.channel().isActive()) {
                    found.set(view.channel());
                }
            }).syncUninterruptibly();
            KcpChannel session = found.get();
            return session != null && !session.isWritable();
        });
        return found.get();
    }

    private void assertBounded(KcpChannel session) {
        assertThat(arena.playersIn(ROOM)).isEqualTo(2);
        assertThat(session.isOpen()).isTrue();
        assertThat(session.bytesBeforeWritable()).isLessThan(MAX_QUEUED_BYTES);
    }
}
