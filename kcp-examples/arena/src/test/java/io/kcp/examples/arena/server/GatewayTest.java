package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.DecodeProblem;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.PlayerView;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What one player and one gateway say to each other. Each test has rooms and names of its own. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatewayTest {

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
    private final List<TestPlayer> players = new ArrayList<>();
    private RunningArena arena;

    @BeforeAll
    void startArena() {
        arena = new RunningArena("arena.room-size=3", "arena.join-timeout=1s");
    }

    @AfterEach
    void endPlayers() {
        players.forEach(TestPlayer::close);
        players.clear();
    }

    @AfterAll
    void stopArena() {
        arena.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private TestPlayer player() {
        TestPlayer player = new TestPlayer(group, arena.players());
        players.add(player);
        return player;
    }

    @Test
    void aPlayerIsWelcomedSeesItselfAndMoves() throws InterruptedException {
        TestPlayer ann = player().join("moves", "ann");
        ServerMessage.Welcome welcome = ann.await(ServerMessage.Welcome.class);
        assertThat(welcome.login()).isEqualTo(TestPlayer.TOKEN.login("ann"));
        assertThat(welcome.resumed()).isFalse();
        assertThat(welcome.position()).isEqualTo(RoomPosition.START);
        ann.sayOutOfBand(new ClientMessage.Input(new PlayerInput(1, 0, 0, 64, false)));
        PlayerView first = seen(ann, 64);
        ann.say(new ClientMessage.Input(new PlayerInput(2, first.x() > 25_000 ? -127 : 127, 0, 65, false)));
        PlayerView then = seen(ann, 65);
        for (int i = 0; i < 200 && then.x() == first.x(); i++) {
            then = seen(ann, 65);
        }
        assertThat(then.x()).isNotEqualTo(first.x());
        ann.say(new ClientMessage.Ping(77, 3));
        assertThat(ann.await(ServerMessage.Pong.class).id()).isEqualTo(77);
    }

    /** Waits until a player of the world aims there. */
    private static PlayerView seen(TestPlayer player, int aim) throws InterruptedException {
        for (;;) {
            WorldView view = player.await(ServerMessage.Snapshot.class).view();
            for (PlayerView present : view.players()) {
                if (present.aim() == aim) {
                    return present;
                }
            }
        }
    }

    @Test
    void messagesAreAcknowledgedAndHeardByAllInOrder() throws InterruptedException {
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
    void whoComesBackHearsWhatItMissedAndMaySayAgainWhatItDoesNotKnowOf() throws InterruptedException {
        TestPlayer ann = player().join("back", "ann3");
        TestPlayer bob = player().join("back", "bob3");
        ann.await(ServerMessage.Welcome.class);
        bob.await(ServerMessage.Welcome.class);
        ann.say(new ClientMessage.Say(1, "before"));
        RoomPosition heard = ann.await(ServerMessage.Said.class).position();
        ann.crash();
        bob.say(new ClientMessage.Say(1, "meanwhile")).say(new ClientMessage.Say(2, "and again"));
        bob.await(ServerMessage.Ack.class);
        bob.await(ServerMessage.Ack.class);
        TestPlayer again = player().say(new ClientMessage.Join("back", "ann3", TestPlayer.TOKEN, 2, true, heard, 1, true));
        assertThat(again.await(ServerMessage.Welcome.class).resumed()).isTrue();
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("meanwhile");
        again.say(new ClientMessage.Say(1, "before")).say(new ClientMessage.Say(2, "after"));
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("and again");
        assertThat(again.await(ServerMessage.Said.class).text()).isEqualTo("after");
        TestPlayer more =
            player().say(new ClientMessage.Join("back", "ann3", TestPlayer.TOKEN, 3, true, RoomPosition.START, 3, true));
        for (String text : List.of("before", "meanwhile", "and again", "after")) {
            assertThat(more.await(ServerMessage.Said.class).text()).isEqualTo(text);
        }
    }

    @Test
    void whoseNameNobodyKnowsAnyMoreComesInAnew() throws InterruptedException {
        TestPlayer ann = player().join("anew", "ann10");
        ann.await(ServerMessage.Welcome.class);
        RoomPosition said = ann.say(new ClientMessage.Say(1, "before")).await(ServerMessage.Ack.class).position();
        TestPlayer eve = player().say(new ClientMessage.Join("anew", "eve10", new Token(5, 5), 1, true, RoomPosition.START, 1, true));
        ServerMessage.Welcome welcome = eve.await(ServerMessage.Welcome.class);
        assertThat(welcome.resumed()).isFalse();
        assertThat(welcome.position()).isEqualTo(said);
        ann.say(new ClientMessage.Say(2, "after"));
        assertThat(eve.await(ServerMessage.Said.class).text()).isEqualTo("after");
    }

    @Test
    void aLaterSessionOfAPlayerTakesOverAndALateOneDoesNot() throws InterruptedException {
        TestPlayer first = player().say(new ClientMessage.Join("over", "ann4", TestPlayer.TOKEN, 5, false, RoomPosition.START, 1, true));
        first.await(ServerMessage.Welcome.class);
        TestPlayer second = player().say(new ClientMessage.Join("over", "ann4", TestPlayer.TOKEN, 6, true, RoomPosition.START, 1, true));
        second.await(ServerMessage.Welcome.class);
        assertThat(first.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.TAKEN_OVER);
        TestPlayer late = player().say(new ClientMessage.Join("over", "ann4", TestPlayer.TOKEN, 4, false, RoomPosition.START, 1, true));
        assertThat(late.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.TAKEN_OVER);
        second.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
        assertThat(arena.gateway().room("over").size()).isEqualTo(1);
    }

    @Test
    void aNameBelongsToItsTokenUntilItsPlayerLeaves() throws InterruptedException {
        TestPlayer ann = player().join("names", "ann5");
        ann.await(ServerMessage.Welcome.class);
        ClientMessage.Join thief = new ClientMessage.Join("names", "ann5", new Token(6, 6), 1, true, RoomPosition.START, 1, true);
        assertThat(player().say(thief).await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.NAME_TAKEN);
        ann.crash();
        assertThat(player().say(thief).await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.NAME_TAKEN);
        TestPlayer back = player().say(new ClientMessage.Join("names", "ann5", TestPlayer.TOKEN, 2, true, RoomPosition.START, 1, true));
        back.await(ServerMessage.Welcome.class);
        back.say(new ClientMessage.Leave());
        await(() -> arena.gateway().room("names").size() == 0);
        TestPlayer other = player().say(thief);
        assertThat(other.await(ServerMessage.Welcome.class).login()).isEqualTo(new Token(6, 6).login("ann5"));
    }

    @Test
    void aFullRoomTakesNobodyMore() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            player().join("full", "full" + i).await(ServerMessage.Welcome.class);
        }
        assertThat(player().join("full", "full3").await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.ROOM_FULL);
    }

    @Test
    void whoFoundNoPlaceHasNeitherANameNorAPlaceToComeBackTo() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            player().join("full2", "crowd" + i).await(ServerMessage.Welcome.class);
        }
        for (Token token : List.of(TestPlayer.TOKEN, TestPlayer.TOKEN, new Token(11, 11))) {
            TestPlayer eve = player().say(new ClientMessage.Join("full2", "eve11", token, 1, true, RoomPosition.START, 1, true));
            assertThat(eve.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.ROOM_FULL);
        }
    }

    @Test
    void whoWasInOneRoomDoesNotComeBackToAnother() throws InterruptedException {
        TestPlayer ann = player().join("private", "ann12");
        ann.await(ServerMessage.Welcome.class);
        ann.say(new ClientMessage.Say(1, "a secret"));
        RoomPosition said = ann.await(ServerMessage.Ack.class).position();
        player().join("public", "eve12").await(ServerMessage.Welcome.class);
        TestPlayer eve = player().say(
            new ClientMessage.Join("private", "eve12", TestPlayer.TOKEN, 2, true, RoomPosition.START, 1, true));
        ServerMessage.Welcome welcome = eve.await(ServerMessage.Welcome.class);
        assertThat(welcome.resumed()).isFalse();
        assertThat(welcome.position()).isEqualTo(said);
    }

    @Test
    void whoComesBackHearsNothingOfBeforeItFirstCame() throws InterruptedException {
        TestPlayer ann = player().join("history", "ann13");
        ann.await(ServerMessage.Welcome.class);
        ann.say(new ClientMessage.Say(1, "a secret"));
        RoomPosition said = ann.await(ServerMessage.Ack.class).position();
        player().join("history", "eve13").await(ServerMessage.Welcome.class);
        TestPlayer eve = player().say(
            new ClientMessage.Join("history", "eve13", TestPlayer.TOKEN, 2, true, RoomPosition.START, 1, true));
        ServerMessage.Welcome welcome = eve.await(ServerMessage.Welcome.class);
        assertThat(welcome.resumed()).isTrue();
        assertThat(welcome.position()).isEqualTo(said);
        ann.say(new ClientMessage.Say(2, "hello"));
        assertThat(eve.await(ServerMessage.Said.class).text()).isEqualTo("hello");
    }

    @Test
    void whoSaysTooMuchIsSentAwayAndCounted() throws InterruptedException {
        TestPlayer ann = player().join("loud", "loud");
        ann.await(ServerMessage.Welcome.class);
        // More than those of ten seconds, and of the seconds that they take.
        for (int i = 1; i <= 500; i++) {
            ann.say(new ClientMessage.Say(i, "message " + i));
        }
        assertThat(ann.await(ServerMessage.Kicked.class))
            .isEqualTo(new ServerMessage.Kicked(KickReason.TOO_FAST, "more than 20 messages a second"));
        assertThat(arena.gateway().figures().kicked()).containsEntry(KickReason.TOO_FAST, 1L);
    }

    @Test
    void whatIsNoMessageIsCountedByKindAndEndsTheSession() throws InterruptedException {
        TestPlayer ann = player().join("wrong", "ann6");
        ann.await(ServerMessage.Welcome.class);
        ann.sayBytes((byte) 99);
        assertThat(ann.await(ServerMessage.Kicked.class)).isEqualTo(new ServerMessage.Kicked(KickReason.PROTOCOL, "UNKNOWN_KIND"));
        TestPlayer bob = player().sayBytes(ArenaCodec.encode(new ServerMessage.Pong(1)));
        assertThat(bob.await(ServerMessage.Kicked.class).text()).isEqualTo("WRONG_DIRECTION");
        assertThat(arena.gateway().figures().decodeProblems()).containsEntry(DecodeProblem.UNKNOWN_KIND, 1L)
            .containsEntry(DecodeProblem.WRONG_DIRECTION, 1L);
    }

    @Test
    void whoIsOutOfTurnIsSentAway() throws InterruptedException {
        TestPlayer ann = player().say(new ClientMessage.Say(1, "too early"));
        assertThat(ann.await(ServerMessage.Kicked.class).text()).isEqualTo("not yet in a room");
        TestPlayer bob = player().join("turn", "bob7").join("turn", "bob7");
        assertThat(bob.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.PROTOCOL);
        TestPlayer eve = player().join("turn", "eve7");
        eve.await(ServerMessage.Welcome.class);
        eve.say(new ClientMessage.Say(2, "one is missing"));
        assertThat(eve.await(ServerMessage.Kicked.class).text()).isEqualTo("sequence: 2 (expected: 1)");
        TestPlayer silent = player().say(new ClientMessage.Ping(1, 0));
        assertThat(silent.await(ServerMessage.Kicked.class).text()).isEqualTo("nobody joined");
    }

    @Test
    void whoRemembersWhatTheRoomHasForgottenComesInAnew() throws InterruptedException {
        player().join("forgot", "ann8").await(ServerMessage.Welcome.class);
        TestPlayer ann = player().say(
            new ClientMessage.Join("forgot", "ann8", TestPlayer.TOKEN, 2, true, new RoomPosition(1_000, 0), 1, true));
        assertThat(ann.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
        TestPlayer bob = player().say(new ClientMessage.Join("forgot", "bob8", TestPlayer.TOKEN, 1, true, RoomPosition.START, 7, true));
        bob.await(ServerMessage.Welcome.class);
        bob.say(new ClientMessage.Say(7, "the seventh"));
        assertThat(bob.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
        for (String name : List.of("ann8", "bob8")) {
            Token another = new Token(8, 8);
            TestPlayer anew = player().say(new ClientMessage.Join("forgot", name, another, 1, false, RoomPosition.START, 1, true));
            assertThat(anew.await(ServerMessage.Welcome.class).login()).isEqualTo(another.login(name));
            anew.say(new ClientMessage.Say(1, "the first")).await(ServerMessage.Ack.class);
        }
    }

    @Test
    void whoWasAwayForLongerThanTheRoomRemembersComesInAnew() throws InterruptedException {
        player().join("jump", "bob9").await(ServerMessage.Welcome.class);
        TestPlayer ann = player().join("jump", "ann9");
        ann.await(ServerMessage.Welcome.class);
        ann.say(new ClientMessage.Say(1, "the first of a new log")).await(ServerMessage.Ack.class);
        RoomPosition inAnOlderLog = new RoomPosition(1_000, 7);
        TestPlayer bob = player().say(new ClientMessage.Join("jump", "bob9", TestPlayer.TOKEN, 2, true, inAnOlderLog, 1, true));
        ServerMessage.Kicked kicked = bob.await(ServerMessage.Kicked.class);
        assertThat(kicked.reason()).isEqualTo(KickReason.EXPIRED);
        assertThat(kicked.text()).contains("1000-7");
    }

    @Test
    void aGatewayThatStopsSendsItsPlayersElsewhere() throws InterruptedException {
        TestPlayer ann;
        try (RunningArena second = new RunningArena()) {
            ann = new TestPlayer(group, second.players());
            players.add(ann);
            ann.join("stop", "ann9").await(ServerMessage.Welcome.class);
        }
        assertThat(ann.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
    }

    @Test
    void whoWantsNothingForLongLosesItsPlace() throws InterruptedException {
        try (RunningArena second = new RunningArena("arena.idle-time=2s", "arena.room-size=2")) {
            TestPlayer idle = new TestPlayer(group, second.players());
            TestPlayer busy = new TestPlayer(group, second.players());
            TestPlayer next = new TestPlayer(group, second.players());
            players.addAll(List.of(idle, busy, next));
            idle.join("idle", "idle").await(ServerMessage.Welcome.class);
            busy.join("idle", "busy").await(ServerMessage.Welcome.class);
            await(() -> {
                idle.say(new ClientMessage.Ping(1, 0));
                busy.say(new ClientMessage.Input(new PlayerInput(1, 0, 0, 0, false)));
                return second.gateway().figures().kicked().containsKey(KickReason.IDLE);
            });
            assertThat(second.gateway().figures().kicked()).containsExactly(Map.entry(KickReason.IDLE, 1L));
            assertThat(idle.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.IDLE);
            await(() -> second.gateway().figures().players() == 1);
            next.join("idle", "next").await(ServerMessage.Welcome.class);
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - endNanos).isNegative();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
