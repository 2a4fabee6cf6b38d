package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.examples.arena.bots.BotSettings;
import io.kcp.examples.arena.room.LocalBackplane;
import io.kcp.examples.arena.room.NameHolder;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two gateways that share a backplane, in one process: what is simulated by one is seen at both, and one takes over from the other. */
@Timeout(120)
class TwoGatewaysTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int BOTS = 30;

    @Test
    void playersOfBothShareOneWorldAndGoOnWhenOneGatewayStops() throws Exception {
        try (LocalBackplane shared = new LocalBackplane();
             RunningArena staying = new RunningArena(shared, "arena.gateway=staying")) {
            BotFleet fleet;
            try (RunningArena leaving = new RunningArena(shared, "arena.gateway=leaving")) {
                fleet = new BotFleet(new BotSettings(List.of(staying.players(), leaving.players())).bots(BOTS).roomSize(15).sayRate(100)
                    .timeouts(Duration.ofSeconds(2), Duration.ofSeconds(8)));
                assertThat(fleet.awaitIn(SOON)).isTrue();
                fleet.talk(true);
                assertThat(fleet.await(SOON, report -> report.acknowledged() > 200)).isTrue();
                assertThat(staying.gateway().figures().players()).isBetween(1, BOTS - 1);
                assertThat(leaving.gateway().figures().players()).isBetween(1, BOTS - 1);
                for (String room : List.of("room-0", "room-1")) {
                    Room one = Objects.requireNonNull(staying.gateway().room(room));
                    Room other = Objects.requireNonNull(leaving.gateway().room(room));
                    assertThat(one.leads()).as(room).isNotEqualTo(other.leads());
                    assertThat(fleet.await(SOON, report -> size(one.view()) == 15 && size(other.view()) == 15)).as(room).isTrue();
                }
            }
            try (fleet) {
                assertThat(fleet.awaitSettled(SOON)).as("%s", fleet.report().summary()).isTrue();
                BotReport report = fleet.report();
                assertThat(report.isGood()).as("%s", report.summary()).isTrue();
                assertThat(report.kicked()).containsKey(KickReason.DRAINING);
                assertThat(staying.gateway().figures().players()).isEqualTo(BOTS);
                for (String name : List.of("room-0", "room-1")) {
                    Room room = Objects.requireNonNull(staying.gateway().room(name));
                    assertThat(fleet.await(SOON, later -> room.leads() && size(room.view()) == 15)).as(name).isTrue();
                }
            }
        }
    }

    @Test
    void aPlayerIsWhereItSpokeByItsLatestAttempt() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane();
             RunningArena here = new RunningArena(shared, "arena.gateway=here");
             RunningArena there = new RunningArena(shared, "arena.gateway=there");
             TestPlayer player = new TestPlayer(group, here.players());
             TestPlayer late = new TestPlayer(group, there.players());
             TestPlayer later = new TestPlayer(group, there.players())) {
            player.say(join(5)).await(ServerMessage.Welcome.class);
            player.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
            assertThat(whereIs("ann", shared)).isEqualTo("here");
            late.say(join(4)).await(ServerMessage.Welcome.class);
            assertThat(late.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Kicked.class))
                .isEqualTo(new ServerMessage.Kicked(KickReason.TAKEN_OVER, "came in at here"));
            here.gateway().renew(playing(here, "ann"));
            assertThat(whereIs("ann", shared)).isEqualTo("here");
            later.say(join(6)).await(ServerMessage.Welcome.class);
            assertThat(whereIs("ann", shared)).isEqualTo("here");
            later.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
            assertThat(whereIs("ann", shared)).isEqualTo("there");
            player.say(new ClientMessage.Ping(2, 0)).await(ServerMessage.Pong.class);
            here.gateway().renew(playing(here, "ann"));
            assertThat(player.await(ServerMessage.Kicked.class).text()).isEqualTo("came in at there");
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static ClientMessage.Join join(int attempt) {
        return new ClientMessage.Join("room", "ann", TestPlayer.TOKEN, attempt, attempt > 1, RoomPosition.START, 1, true);
    }

    @Test
    void whoHasNotSpokenYetIsNotSentAwayForWhereItWasBefore() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(shared, "arena.gateway=here");
             TestPlayer player = new TestPlayer(group, here.players())) {
            shared.claim(TestPlayer.TOKEN.login("ann"), "gone", 1, Duration.ofMinutes(1));
            player.say(join(2)).await(ServerMessage.Welcome.class);
            here.gateway().renew(playing(here, "ann"));
            assertThat(whereIs("ann", shared)).isEqualTo("gone");
            player.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
            assertThat(whereIs("ann", shared)).isEqualTo("here");
            here.gateway().renew(playing(here, "ann"));
            player.say(new ClientMessage.Ping(2, 0)).await(ServerMessage.Pong.class);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void aClaimThatFailedIsMadeAgainWithTheNextMessage() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        AtomicInteger claims = new AtomicInteger();
        try (LocalBackplane shared = new LocalBackplane()) {
            RoomBackplane failing = (RoomBackplane) Proxy.newProxyInstance(RoomBackplane.class.getClassLoader(),
                new Class<?>[] {RoomBackplane.class}, (proxy, method, arguments) ->
                    method.getName().equals("claim") && claims.incrementAndGet() == 1
                        ? CompletableFuture.failedFuture(new IllegalStateException("out of reach, on purpose"))
                        : method.invoke(shared, arguments));
            try (RunningArena here = new RunningArena(failing, "arena.gateway=here");
                 TestPlayer player = new TestPlayer(group, here.players())) {
                player.join("room", "ann").await(ServerMessage.Welcome.class);
                player.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
                assertThat(whereIs("ann", shared)).isNull();
                player.say(new ClientMessage.Ping(2, 0)).await(ServerMessage.Pong.class);
                assertThat(whereIs("ann", shared)).isEqualTo("here");
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void aSessionThatWasTakenOverDoesNotTakeTheNameAgainWhenItEnds() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(shared);
             TestPlayer first = new TestPlayer(group, here.players()); TestPlayer second = new TestPlayer(group, here.players())) {
            first.say(join(1)).await(ServerMessage.Welcome.class);
            Player before = playing(here, "ann");
            second.say(join(2)).await(ServerMessage.Welcome.class);
            first.await(ServerMessage.Kicked.class);
            second.say(new ClientMessage.Leave());
            assertThat(soon(() -> here.gateway().registry().find("ann") == null)).isTrue();
            assertThat(soon(() -> bind("ann", new Token(9, 9), shared) == NameHolder.NOBODY)).isTrue();
            shared.bind("ann", new Token(9, 9).bytes(), Duration.ZERO);
            here.gateway().release(before, false);
            here.gateway().renew(before);
            assertThat(bind("ann", new Token(9, 9), shared)).isEqualTo(NameHolder.NOBODY);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static NameHolder bind(String name, Token token, RoomBackplane shared) {
        return shared.bind(name, token.bytes(), Duration.ofMinutes(1)).toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** As it is for a gateway that did not run for a while. */
    @Test
    void whoHasLeftElsewhereDoesNotGetItsNameAgain() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(shared);
             TestPlayer player = new TestPlayer(group, here.players()); TestPlayer other = new TestPlayer(group, here.players())) {
            player.join("room", "ann").await(ServerMessage.Welcome.class);
            other.join("room", "bob").await(ServerMessage.Welcome.class);
            Player ann = playing(here, "ann");
            shared.bind("ann", TestPlayer.TOKEN.bytes(), Duration.ZERO);
            shared.bind("bob", TestPlayer.TOKEN.bytes(), Duration.ZERO);
            here.gateway().renew(ann);
            assertThat(player.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
            other.crash();
            here.gateway().release(playing(here, "bob"), false);
            assertThat(bind("ann", new Token(9, 9), shared)).isEqualTo(NameHolder.NOBODY);
            assertThat(bind("bob", new Token(9, 9), shared)).isEqualTo(NameHolder.NOBODY);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** A renewal that is under way must not bind what is freed meanwhile. */
    @Test
    void aNameIsFreeWhenItsPlayerIsToldToComeInAnewThoughItIsBeingRenewed() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        CountDownLatch renewing = new CountDownLatch(1);
        CountDownLatch freed = new CountDownLatch(1);
        try (LocalBackplane shared = new LocalBackplane()) {
            RoomBackplane slow = (RoomBackplane) Proxy.newProxyInstance(RoomBackplane.class.getClassLoader(),
                new Class<?>[] {RoomBackplane.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("keep")) {
                        renewing.countDown();
                        // In vain if freeing comes after renewing, as it should.
                        freed.await(500, TimeUnit.MILLISECONDS);
                    }
                    Object answer = method.invoke(shared, arguments);
                    if (method.getName().equals("bind") && arguments[2].equals(Duration.ZERO)) {
                        freed.countDown();
                    }
                    return answer;
                });
            try (RunningArena here = new RunningArena(slow); TestPlayer player = new TestPlayer(group, here.players());
                 TestPlayer anew = new TestPlayer(group, here.players())) {
                // A number that the room cannot know.
                player.say(new ClientMessage.Join("room", "ann", TestPlayer.TOKEN, 1, false, RoomPosition.START, 7, true));
                player.await(ServerMessage.Welcome.class);
                assertThat(renewing.await(2 * Room.RENEW_SECONDS, TimeUnit.SECONDS)).isTrue();
                player.say(new ClientMessage.Say(7, "the seventh"));
                assertThat(player.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.EXPIRED);
                anew.say(new ClientMessage.Join("room", "ann", new Token(9, 9), 1, false, RoomPosition.START, 1, true));
                anew.await(ServerMessage.Welcome.class);
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void whoHasLostItsNameIsSentAway() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane(); RunningArena here = new RunningArena(shared);
             TestPlayer player = new TestPlayer(group, here.players())) {
            player.join("room", "ann").await(ServerMessage.Welcome.class);
            here.gateway().renew(playing(here, "ann"));
            player.say(new ClientMessage.Ping(1, 0)).await(ServerMessage.Pong.class);
            shared.bind("ann", TestPlayer.TOKEN.bytes(), Duration.ZERO);
            shared.bind("ann", new Token(9, 9).bytes(), Duration.ofMinutes(1));
            here.gateway().renew(playing(here, "ann"));
            ServerMessage.Kicked kicked = player.await(ServerMessage.Kicked.class);
            assertThat(kicked).isEqualTo(new ServerMessage.Kicked(KickReason.TAKEN_OVER, "somebody else is ann"));
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void whoComesBackHasAPlaceInARoomThatIsFullForOthers() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane();
             RunningArena staying = new RunningArena(shared, "arena.gateway=staying", "arena.room-size=1");
             TestPlayer ann = new TestPlayer(group, staying.players());
             TestPlayer eve = new TestPlayer(group, staying.players());
             TestPlayer bobHere = new TestPlayer(group, staying.players());
             TestPlayer cidHere = new TestPlayer(group, staying.players())) {
            ann.join("room", "ann").await(ServerMessage.Welcome.class);
            try (RunningArena leaving = new RunningArena(shared, "arena.gateway=leaving", "arena.room-size=1");
                 TestPlayer bob = new TestPlayer(group, leaving.players());
                 TestPlayer cid = new TestPlayer(group, leaving.players())) {
                bob.join("room", "bob").await(ServerMessage.Welcome.class);
                cid.join("elsewhere", "cid").await(ServerMessage.Welcome.class);
            }
            assertThat(eve.join("room", "eve").await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.ROOM_FULL);
            bobHere.say(comeBack("bob"));
            assertThat(bobHere.await(ServerMessage.Welcome.class).resumed()).isTrue();
            shared.enter("room", TestPlayer.TOKEN.login("cid"), RoomPosition.START, Duration.ofMinutes(1));
            cidHere.say(comeBack("cid"));
            assertThat(cidHere.await(ServerMessage.Kicked.class).reason()).as("there is an end of it").isEqualTo(KickReason.ROOM_FULL);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static ClientMessage.Join comeBack(String name) {
        return new ClientMessage.Join("room", name, TestPlayer.TOKEN, 2, true, RoomPosition.START, 1, true);
    }

    @Test
    void whoIsComingInWhenAGatewayDrainsIsSentAwayToo() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (LocalBackplane shared = new LocalBackplane()) {
            RoomBackplane silent = (RoomBackplane) Proxy.newProxyInstance(RoomBackplane.class.getClassLoader(),
                new Class<?>[] {RoomBackplane.class}, (proxy, method, arguments) ->
                    method.getName().equals("head") ? new CompletableFuture<>() : method.invoke(shared, arguments));
            try (RunningArena here = new RunningArena(silent); TestPlayer player = new TestPlayer(group, here.players())) {
                player.join("room", "ann");
                assertThat(soon(() -> here.gateway().room("room") != null)).isTrue();
                here.gateway().drain();
                assertThat(player.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void aRoomThatIsMadeWhileAGatewayDrainsEndsToo() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try (RunningArena here = new RunningArena(); TestPlayer player = new TestPlayer(group, here.players())) {
            player.join("room", "ann").await(ServerMessage.Welcome.class);
            Player ann = playing(here, "ann");
            here.gateway().drain();
            here.gateway().enter("another", ann);
            assertThat(player.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
            assertThat(soon(() -> here.gateway().rooms().isEmpty())).isTrue();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static boolean soon(BooleanSupplier condition) throws InterruptedException {
        long endNanos = System.nanoTime() + SOON.toNanos() / 2;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return true;
    }

    private static Player playing(RunningArena arena, String name) {
        KcpChannel session = Objects.requireNonNull(arena.gateway().registry().find(name));
        return Objects.requireNonNull(session.pipeline().get(PlayerSession.class).joining());
    }

    /** Asks without changing anything: nobody is at a gateway of this name. */
    private static String whereIs(String player, RoomBackplane shared) {
        return shared.claim(TestPlayer.TOKEN.login(player), "nowhere", 0, Duration.ZERO).toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Test
    void whoIsSentToAGatewayThatDrainsIsSentAwayAtOnce() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        RunningArena draining = new RunningArena();
        Thread closing = new Thread(draining::close, "closes the gateway");
        try (TestPlayer player = new TestPlayer(group, draining.players()); TestPlayer next = new TestPlayer(group, draining.players())) {
            player.join("room", "ann").await(ServerMessage.Welcome.class);
            closing.start();
            assertThat(player.await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
            player.crash();
            assertThat(next.join("room", "bob").await(ServerMessage.Kicked.class).reason()).isEqualTo(KickReason.DRAINING);
        } finally {
            closing.join();
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static int size(WorldView view) {
        return view == null ? 0 : view.players().size();
    }
}
