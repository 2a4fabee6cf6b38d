package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.room.LocalBackplane;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.world.World;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What world a gateway begins with when it leads a room, and how it leaves the lead to another. */
@Timeout(30)
class RoomLeadTest {

    private static final Duration LEAD_TIME = Duration.ofSeconds(10);
    private static final ArenaProperties PROPERTIES =
        new ArenaProperties("one", "local", 1, 1, 1, 1, LEAD_TIME, LEAD_TIME, LEAD_TIME, LEAD_TIME, LEAD_TIME);

    private final EventExecutor executor = new DefaultEventExecutor();

    @AfterEach
    void endExecutor() {
        executor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void aWorldThatIsBegunAnewIsNewerThanTheOneThatWasLost() throws Exception {
        Instant began = Instant.parse("2026-01-01T00:00:00Z");
        WorldView lost = firstView(began, 200);
        WorldView anew = firstView(began.plusSeconds(5), 0);
        assertThat(lost.tick()).isEqualTo(200);
        assertThat(anew.isAfter(lost)).isTrue();
        assertThat(anew.epoch() - lost.epoch()).isEqualTo(5);
        assertThat(lost.epoch()).isPositive();
    }

    @Test
    void aLeadThatIsGivenUpLateIsNotThatOfTheRoomThatCameAfter() throws Exception {
        CompletableFuture<Void> saved = new CompletableFuture<>();
        try (LocalBackplane shared = new LocalBackplane();
             Gateway gateway = new Gateway(PROPERTIES, saving(shared, saved), new KcpSessionRegistry<>())) {
            RoomLead before = lead(gateway, Instant.now());
            awaitWorld(before);
            CompletableFuture<?> givenUp = executor.submit(before::giveUp).get();
            RoomLead after = lead(gateway, Instant.now());
            executor.submit(after::renew).sync();
            saved.complete(null);
            givenUp.get(LEAD_TIME.toSeconds(), TimeUnit.SECONDS);
            awaitWorld(after);
            assertThat(shared.lead("room", "another", LEAD_TIME).toCompletableFuture().get()).isFalse();
        }
    }

    @Test
    void aLeadIsGivenUpThoughTheWorldCannotBeSaved() throws Exception {
        try (LocalBackplane shared = new LocalBackplane();
             Gateway gateway = new Gateway(PROPERTIES, saving(shared, CompletableFuture.failedFuture(new IOException("on purpose"))),
                 new KcpSessionRegistry<>())) {
            RoomLead lead = lead(gateway, Instant.now());
            awaitWorld(lead);
            executor.submit(lead::giveUp).get().get(LEAD_TIME.toSeconds(), TimeUnit.SECONDS);
            assertThat(shared.lead("room", "another", LEAD_TIME).toCompletableFuture().get()).isTrue();
        }
    }

    private static RoomBackplane saving(RoomBackplane shared, CompletableFuture<Void> answer) {
        return (RoomBackplane) Proxy.newProxyInstance(RoomBackplane.class.getClassLoader(), new Class<?>[] {RoomBackplane.class},
            (proxy, method, arguments) -> method.getName().equals("saveWorld") ? answer : method.invoke(shared, arguments));
    }

    /** Leads a room of which nothing is kept. */
    private WorldView firstView(Instant now, int ticks) throws Exception {
        try (LocalBackplane backplane = new LocalBackplane();
             Gateway gateway = new Gateway(PROPERTIES, backplane, new KcpSessionRegistry<>())) {
            World world = awaitWorld(lead(gateway, now));
            for (int i = 0; i < ticks; i++) {
                world.tick();
            }
            return world.view();
        }
    }

    private RoomLead lead(Gateway gateway, Instant now) {
        return new RoomLead("room", gateway, executor, now::toEpochMilli);
    }

    /** Asks again and again, as the room does. */
    private World awaitWorld(RoomLead lead) throws Exception {
        long endNanos = System.nanoTime() + LEAD_TIME.toNanos();
        World world = null;
        while (world == null) {
            assertThat(System.nanoTime() - endNanos).as("it leads").isNegative();
            executor.submit(lead::renew).sync();
            TimeUnit.MILLISECONDS.sleep(5);
            world = executor.submit(lead::world).get();
        }
        return world;
    }
}
