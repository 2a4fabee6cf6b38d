package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.room.LocalBackplane;
import io.kcp.examples.arena.world.World;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What world a gateway begins with when it leads a room. */
@Timeout(30)
class RoomLeadTest {

    private static final Duration LEAD_TIME = Duration.ofSeconds(10);
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

    /** Leads a room of which nothing is kept. */
    private WorldView firstView(Instant now, int ticks) throws Exception {
        ArenaProperties properties = new ArenaProperties("one", "local", 1, 1, 1, 1, LEAD_TIME, LEAD_TIME, LEAD_TIME, LEAD_TIME);
        try (LocalBackplane backplane = new LocalBackplane();
             Gateway gateway = new Gateway(properties, backplane, new KcpSessionRegistry<>())) {
            RoomLead lead = new RoomLead("room", gateway, executor, now::toEpochMilli);
            executor.submit(lead::renew).sync();
            long endNanos = System.nanoTime() + LEAD_TIME.toNanos();
            World world = null;
            while (world == null) {
                assertThat(System.nanoTime() - endNanos).as("it leads").isNegative();
                TimeUnit.MILLISECONDS.sleep(5);
                world = executor.submit(lead::world).get();
            }
            for (int i = 0; i < ticks; i++) {
                world.tick();
            }
            return world.view();
        }
    }
}
