package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.room.LocalBackplane;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Players who are in a room whose log is not as it should be. */
@Timeout(60)
class RoomLogTest {

    private static final String ROOM = "room";

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());

    @AfterEach
    void endGroup() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void whatTheBroadcastLeavesOutIsReadInTheLog() throws InterruptedException {
        try (LocalBackplane shared = new LocalBackplane();
             RunningArena here = new RunningArena(changed(shared, RoomLogTest::withoutTheSecond, UnaryOperator.identity()));
             TestPlayer ann = enter(here, "ann"); TestPlayer bob = enter(here, "bob")) {
            say(ann, 4);
            for (int i = 1; i <= 4; i++) {
                assertThat(bob.await(ServerMessage.Said.class).text()).isEqualTo("message " + i);
            }
        }
    }

    @Test
    void whoMissesWhatTheLogHasForgottenComesInAnew() throws InterruptedException {
        assertSentAway(RoomLogTest::withoutTheSecond);
    }

    @Test
    void whoIsInARoomWhoseLogBeginsAnewComesInAnew() throws InterruptedException {
        assertSentAway(entries -> entries.stream().map(entry -> entry.sequence() == 1 ? entry
            : new RoomEntry(new RoomPosition(entry.position().high() + 1, entry.position().low() - 1), entry.user(), entry.sequence(),
                entry.message())).toList());
    }

    @Test
    void whatSomebodyElseWroteIntoTheLogIsSkipped() throws InterruptedException {
        UnaryOperator<List<RoomEntry>> foreign = entries -> entries.stream().map(entry -> entry.sequence() != 2 ? entry
            : new RoomEntry(entry.position(), "", 0, new byte[0])).toList();
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(changed(shared, foreign, foreign));
             TestPlayer gone = enter(here, "bob"); TestPlayer ann = enter(here, "ann")) {
            gone.crash();
            say(ann, 3);
            assertSkipped(ann);
            try (TestPlayer bob = new TestPlayer(group, here.players())) {
                bob.say(new ClientMessage.Join(ROOM, "bob", TestPlayer.TOKEN, 2, true, RoomPosition.START, 1, true));
                assertSkipped(bob);
                ann.say(new ClientMessage.Say(4, "message 4"));
                assertThat(bob.await(ServerMessage.Said.class).text()).isEqualTo("message 4");
            }
        }
    }

    private static void assertSkipped(TestPlayer player) throws InterruptedException {
        assertThat(player.await(ServerMessage.Said.class).text()).isEqualTo("message 1");
        assertThat(player.await(ServerMessage.Said.class).text()).isEqualTo("message 3");
    }

    private void assertSentAway(UnaryOperator<List<RoomEntry>> change) throws InterruptedException {
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(changed(shared, change, change));
             TestPlayer ann = enter(here, "ann"); TestPlayer bob = enter(here, "bob")) {
            say(ann, 3);
            assertThat(bob.await(ServerMessage.Said.class).text()).isEqualTo("message 1");
            assertThat(bob.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
        }
    }

    private TestPlayer enter(RunningArena arena, String name) throws InterruptedException {
        TestPlayer player = new TestPlayer(group, arena.players()).join(ROOM, name);
        player.await(ServerMessage.Welcome.class);
        return player;
    }

    private static void say(TestPlayer player, int messages) {
        for (int i = 1; i <= messages; i++) {
            player.say(new ClientMessage.Say(i, "message " + i));
        }
    }

    private static List<RoomEntry> withoutTheSecond(List<RoomEntry> entries) {
        return entries.stream().filter(entry -> entry.sequence() != 2).toList();
    }

    /** A backplane whose broadcast and whose pages are others. */
    @SuppressWarnings("unchecked")
    private static RoomBackplane changed(RoomBackplane backplane, UnaryOperator<List<RoomEntry>> broadcast,
        UnaryOperator<List<RoomEntry>> pages) {
        return (RoomBackplane) Proxy.newProxyInstance(RoomBackplane.class.getClassLoader(), new Class<?>[] {RoomBackplane.class},
            (proxy, method, arguments) -> {
                if (method.getName().equals("subscribe")) {
                    Consumer<RoomEntry> listener = (Consumer<RoomEntry>) arguments[2];
                    arguments[2] = (Consumer<RoomEntry>) entry -> broadcast.apply(List.of(entry)).forEach(listener);
                }
                Object answer = method.invoke(backplane, arguments);
                return method.getName().equals("after") ? ((CompletionStage<List<RoomEntry>>) answer).thenApply(pages) : answer;
            });
    }
}
