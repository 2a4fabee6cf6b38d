package io.kcp.examples.arena.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Tests the protocol between one player and one gateway. Each test uses its own rooms and player names. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlayerControllerTest {

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private final List<TestPlayer> players = new ArrayList<>();
    private RunningArena arena;

    @BeforeAll
    void startArena() {
        arena = new RunningArena("arena.room-size=3", "arena.join-timeout=1s");
    }

    @AfterEach
    void closePlayers() {
        players.forEach(TestPlayer::close);
        players.clear();
    }

    @AfterAll
    void stopArena() {
        arena.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private TestPlayer player() {
        return player(arena);
    }

    private TestPlayer player(RunningArena of) {
        TestPlayer player = new TestPlayer(group, of.players());
        players.add(player);
        return player;
    }

    private static ClientMessage.Join resume(String room, String name, int attempt, RoomPosition after, long nextSequence) {
        return new ClientMessage.Join(room, name, TestPlayer.TOKEN, attempt, true, after, nextSequence);
    }

    @Test
    void playerIsWelcomedSeesItselfAndMoves() throws InterruptedException {
        TestPlayer ann = player().join("moves", "ann");
        ServerMessage.Welcome welcome = ann.await(ServerMessage.Welcome.class);
        assertThat(welcome.login()).isEqualTo(TestPlayer.TOKEN.login("ann"));
        assertThat(welcome.resumed()).isFalse();
        assertThat(welcome.position().entry()).isZero();
        ann.sayOutOfBand(new ClientMessage.Input(new PlayerInput(1, 0, 0, 64, false)));
        WorldView.Player first = seen(ann, 64);
        ann.say(new ClientMessage.Input(new PlayerInput(2, first.x() > 25_000 ? -127 : 127, 0, 65, false)));
        WorldView.Player then = seen(ann, 65);
        for (int i = 0; i < 200 && then.x() == first.x(); i++) {
            then = seen(ann, 65);
        }
        assertThat(then.x()).isNotEqualTo(first.x());
        ann.say(new ClientMessage.Ping(77, 3));
        assertThat(ann.await(ServerMessage.Pong.class).id()).isEqualTo(77);
    }

    /** Waits for a fighter with this direction. */
    private static WorldView.Player seen(TestPlayer player, int aim) throws InterruptedException {
        for (;;) {
            WorldView view = player.await(ServerMessage.Snapshot.class).view();
            for (WorldView.Player present : view.players()) {
                if (present.aim() == aim) {
                    return present;
                }
            }
        }
    }

    @Test
    void messagesReachAllPlayersInOrder() throws InterruptedException {
        TestPlayer ann = player().join("talk", "ann2");
        TestPlayer bob = player().join("talk", "bob2");
        ann.await(ServerMessage.Welcome.class);
        bob.await(ServerMessage.Welcome.class);
        for (int i = 1; i <= 100; i++) {
            ann.say(new ClientMessage.Say(i, "message " + i));
        }
        for (TestPlayer listener : List.of(ann, bob)) {
            for (int i = 1; i <= 100; i++) {
                ServerMessage.Said said = listener.await(ServerMessage.Said.class);
                assertThat(said.text()).isEqualTo("message " + i);
                assertThat(said.sequence()).isEqualTo(i);
                assertThat(said.login()).isEqualTo(TestPlayer.TOKEN.login("ann2"));
            }
        }
    }

    @Test
    void resumingPlayerReceivesWhatItMissedAndRepeatsWithoutEffect() throws InterruptedException {
        TestPlayer ann = player().join("back", "ann3");
        TestPlayer bob = player().join("back", "bob3");
        ServerMessage.Welcome first = ann.await(ServerMessage.Welcome.class);
        bob.await(ServerMessage.Welcome.class);
        ann.say(new ClientMessage.Say(1, "before"));
        RoomPosition heard = ann.await(ServerMessage.Said.class).position();
        ann.crash();
        bob.say(new ClientMessage.Say(1, "meanwhile")).say(new ClientMessage.Say(2, "and again"));
        bob.await(ServerMessage.Ack.class);
        bob.await(ServerMessage.Ack.class);
        TestPlayer again = player().say(resume("back", "ann3", 2, heard, 1));
        assertThat(again.await(ServerMessage.Welcome.class).resumed()).isTrue();
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("meanwhile");
        again.say(new ClientMessage.Say(1, "before")).say(new ClientMessage.Say(2, "after"));
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("and again");
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("after");
        TestPlayer more = player().say(resume("back", "ann3", 3, first.position(), 3));
        for (String text : List.of("before", "meanwhile", "and again", "after")) {
            assertThat(more.await(ServerMessage.Said.class).text()).isEqualTo(text);
        }
    }

    @Test
    void newPlayerReceivesNoEarlierMessages() throws InterruptedException {
        TestPlayer ann = player().join("anew", "ann10");
        ann.await(ServerMessage.Welcome.class);
        RoomPosition said = ann.say(new ClientMessage.Say(1, "before")).await(ServerMessage.Said.class).position();
        TestPlayer eve = player().join("anew", "eve10");
        assertThat(eve.await(ServerMessage.Welcome.class).position()).isEqualTo(said);
        ann.say(new ClientMessage.Say(2, "after"));
        assertThat(eve.await(ServerMessage.Said.class).text()).isEqualTo("after");
    }

    @Test
    void laterSessionOfPlayerTakesOverAndDelayedOneDoesNot() throws InterruptedException {
        TestPlayer first = player().say(new ClientMessage.Join("over", "ann4", TestPlayer.TOKEN, 5, false, RoomPosition.START, 1));
        RoomPosition position = first.await(ServerMessage.Welcome.class).position();
        TestPlayer second = player().say(resume("over", "ann4", 6, position, 1));
        second.await(ServerMessage.Welcome.class);
        assertThat(first.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.TAKEN_OVER);
        TestPlayer late = player().say(resume("over", "ann4", 4, position, 1));
        assertThat(late.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.TAKEN_OVER);
        second.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
        assertThat(arena.playersIn("over")).isEqualTo(1);
    }

    @Test
    void tokenIdentifiesPlayerAndNamesNeedNotBeUnique() throws InterruptedException {
        player().join("names", "ann5").await(ServerMessage.Welcome.class);
        Token other = new Token(6, 6);
        TestPlayer namesake = player().say(new ClientMessage.Join("names", "ann5", other, 1, false, RoomPosition.START, 1));
        assertThat(namesake.await(ServerMessage.Welcome.class).login()).isEqualTo(other.login("ann5"));
        assertThat(arena.playersIn("names")).isEqualTo(2);
    }

    @Test
    void leavingPlayerMakesRoomForOthers() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            player().join("full", "full" + i).await(ServerMessage.Welcome.class);
        }
        assertThat(player().join("full", "full3").await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.ROOM_FULL);
        players.get(0).say(new ClientMessage.Leave());
        await().atMost(Duration.ofSeconds(30)).until(() -> arena.playersIn("full") == 2);
        player().join("full", "full3").await(ServerMessage.Welcome.class);
    }

    @Test
    @Tag("slow")
    void numberOfRoomsIsLimited() throws InterruptedException {
        try (RunningArena small = new RunningArena("arena.max-rooms=2", "arena.empty-time=0s")) {
            player(small).join("one", "ann").await(ServerMessage.Welcome.class);
            TestPlayer bob = player(small).join("two", "bob");
            bob.await(ServerMessage.Welcome.class);
            assertThat(player(small).join("three", "eve").await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.ROOM_FULL);
            bob.say(new ClientMessage.Leave());
            await().atMost(Duration.ofSeconds(30)).until(() -> small.bean(Rooms.class).find("two") == null);
            player(small).join("three", "eve").await(ServerMessage.Welcome.class);
        }
    }

    @Test
    void playerExceedingMessageRateIsKicked() throws InterruptedException {
        TestPlayer ann = player().join("loud", "loud");
        ann.await(ServerMessage.Welcome.class);
        // Exceeds the burst of ten seconds and the messages that are permitted while the burst arrives.
        for (int i = 1; i <= 500; i++) {
            ann.say(new ClientMessage.Say(i, "message " + i));
        }
        assertThat(ann.await(ServerMessage.Kicked.class))
            .isEqualTo(new ServerMessage.Kicked(KickReason.TOO_FAST, "more than 20 messages per second"));
        assertThat(arena.kicked(KickReason.TOO_FAST)).isEqualTo(1);
    }

    @Test
    void malformedMessageClosesTheSession() throws InterruptedException {
        TestPlayer ann = player().join("wrong", "ann6");
        ann.await(ServerMessage.Welcome.class);
        ann.sayBytes((byte) 99);
        ServerMessage.Kicked kicked = ann.await(ServerMessage.Kicked.class);
        assertThat(kicked.reason()).isEqualTo(KickReason.PROTOCOL);
        assertThat(kicked.text()).contains("kind: 99");
        TestPlayer bob = player().sayBytes(ArenaCodec.encode(new ServerMessage.Pong(1)));
        assertThat(bob.await(ServerMessage.Kicked.class).text()).isEqualTo("Pong messages are sent only by gateways");
        TestPlayer eve = player().join("wrong", "eve6");
        eve.await(ServerMessage.Welcome.class);
        eve.sayBytes((byte) 3, (byte) 1);
        assertThat(eve.await(ServerMessage.Kicked.class).text()).contains("truncated");
    }

    @Test
    void unexpectedMessageClosesSession() throws InterruptedException {
        TestPlayer ann = player().say(new ClientMessage.Say(1, "too early"));
        assertThat(ann.await(ServerMessage.Kicked.class).text()).isEqualTo("the player has not joined a room");
        TestPlayer bob = player().join("turn", "bob7").join("turn", "bob7");
        assertThat(bob.await(ServerMessage.Kicked.class).text()).isEqualTo("the player has already joined");
        TestPlayer eve = player().join("turn", "eve7");
        eve.await(ServerMessage.Welcome.class);
        eve.say(new ClientMessage.Say(2, "one is missing"));
        assertThat(eve.await(ServerMessage.Kicked.class).text()).isEqualTo("unexpected sequence number 2");
        TestPlayer silent = player().say(new ClientMessage.Ping(1, 0));
        assertThat(silent.await(ServerMessage.Kicked.class).text()).isEqualTo("no join message within 1000 ms");
    }

    @Test
    void resumingFromForgottenPositionIsRejected() throws InterruptedException {
        player().join("forgot", "ann8").await(ServerMessage.Welcome.class);
        TestPlayer ann = player().say(resume("forgot", "ann8", 2, new RoomPosition(1_000, 7), 1));
        ServerMessage.Kicked kicked = ann.await(ServerMessage.Kicked.class);
        assertThat(kicked.reason()).isEqualTo(KickReason.EXPIRED);
        assertThat(kicked.text()).contains("1000-7");
        TestPlayer bob = player().say(new ClientMessage.Join("forgot", "bob8", TestPlayer.TOKEN, 1, false, RoomPosition.START, 7));
        bob.await(ServerMessage.Welcome.class);
        bob.say(new ClientMessage.Say(7, "the seventh"));
        assertThat(bob.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
        for (String name : List.of("ann8", "bob8")) {
            Token another = new Token(8, 8);
            TestPlayer anew = player().say(new ClientMessage.Join("forgot", name, another, 1, false, RoomPosition.START, 1));
            assertThat(anew.await(ServerMessage.Welcome.class).login()).isEqualTo(another.login(name));
            anew.say(new ClientMessage.Say(1, "the first")).await(ServerMessage.Ack.class);
            anew.say(new ClientMessage.Leave());
        }
    }

    @Test
    @Tag("slow")
    void playerBehindHistoryIsKickedAsExpired() throws InterruptedException {
        try (RunningArena small = new RunningArena("arena.history=5")) {
            TestPlayer ann = player(small).join("history", "ann");
            ann.await(ServerMessage.Welcome.class);
            RoomPosition start = player(small).join("history", "bob").await(ServerMessage.Welcome.class).position();
            for (int i = 1; i <= 6; i++) {
                ann.say(new ClientMessage.Say(i, "message " + i)).await(ServerMessage.Ack.class);
            }
            TestPlayer bob = player(small).say(resume("history", "bob", 2, start, 1));
            assertThat(bob.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
            bob = player(small).say(resume("history", "bob", 3, start.next(), 1));
            assertThat(bob.await(ServerMessage.Said.class).text()).isEqualTo("message 2");
        }
    }

    @Test
    @Tag("slow")
    void drainingGatewayKicksPlayers() throws InterruptedException {
        TestPlayer ann;
        try (RunningArena second = new RunningArena()) {
            ann = player(second).join("stop", "ann9");
            ann.await(ServerMessage.Welcome.class);
        }
        assertThat(ann.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
    }

    @Test
    @Tag("slow")
    void idlePlayerIsKicked() throws InterruptedException {
        try (RunningArena second = new RunningArena("arena.idle-time=2s", "arena.room-size=2")) {
            TestPlayer idle = player(second).join("idle", "idle");
            TestPlayer busy = player(second).join("idle", "busy");
            idle.await(ServerMessage.Welcome.class);
            busy.await(ServerMessage.Welcome.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                idle.say(new ClientMessage.Ping(1, 0));
                busy.say(new ClientMessage.Input(new PlayerInput(1, 0, 0, 0, false)));
                return second.kicked(KickReason.IDLE) > 0;
            });
            assertThat(idle.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.IDLE);
            await().atMost(Duration.ofSeconds(30)).until(() -> second.playersInRooms() == 1);
            player(second).join("idle", "next").await(ServerMessage.Welcome.class);
            assertThat(second.kicked(KickReason.IDLE)).isEqualTo(1);
        }
    }
}
