package io.kcp.examples.arena;

import io.kcp.examples.arena.wire.Limits;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of a gateway, which is one process of the game server.
 *
 * @param gateway     name of this gateway, unique among several; random unless set
 * @param roomThreads threads that the rooms share; 0 for one per processor
 * @param maxRooms    limit on open rooms
 * @param roomSize    limit on players of this gateway in one room; twice as many if players resume after a lost session
 * @param history     chat messages kept of each room, for players that resume after a lost session
 * @param sayRate     chat messages that a player may send per second, with a burst of ten seconds
 * @param joinTimeout time after which a session that has not joined a room is closed
 * @param idleTime    time after which a player without input is kicked
 * @param emptyTime   time after which a room without players is closed
 * @param maxViewers  limit on event streams that browsers have open
 */
@ConfigurationProperties("arena")
public record ArenaProperties(
    @Nullable String gateway,
    @DefaultValue("0") int roomThreads,
    @DefaultValue("200") int maxRooms,
    @DefaultValue("32") int roomSize,
    @DefaultValue("2000") int history,
    @DefaultValue("20") int sayRate,
    @DefaultValue("5s") Duration joinTimeout,
    @DefaultValue("60s") Duration idleTime,
    @DefaultValue("30s") Duration emptyTime,
    @DefaultValue("100") int maxViewers) {

    /** Generates a random gateway name if none is set, and validates all values. */
    public ArenaProperties {
        if (gateway == null) {
            gateway = "gateway-" + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x10000, 0x100000));
        }
        Limits.gateway("arena.gateway", gateway);
        atLeast(1, "arena.max-rooms", maxRooms);
        atLeast(1, "arena.room-size", roomSize);
        atLeast(1, "arena.history", history);
        atLeast(1, "arena.say-rate", sayRate);
        atLeast(0, "arena.max-viewers", maxViewers);
    }

    private static void atLeast(int minimum, String name, int value) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least " + minimum + ')');
        }
    }

    /**
     * Returns the name of this gateway.
     *
     * @return the configured or generated name
     */
    public String name() {
        String name = gateway;
        assert name != null;
        return name;
    }
}
