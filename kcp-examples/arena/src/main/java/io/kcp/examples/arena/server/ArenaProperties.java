package io.kcp.examples.arena.server;

import io.kcp.examples.arena.wire.GatewayName;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a gateway.
 *
 * @param gateway      its name, other than that of the others; drawn by lot unless set
 * @param backplane    what it shares with others: {@code local} for nothing, {@code redis}
 * @param roomThreads  threads that the rooms are spread over; 0 for one for each processor
 * @param maxRooms     rooms at once, with those of players that come back twice as many
 * @param roomSize     players of this gateway in one room, with those that come back from a gateway that has ended twice as many
 * @param sayRate      messages that a player may say in a second; those of ten seconds at once. Who says more is sent away.
 * @param joinTimeout  how long a session may be silent before it joins
 * @param idleTime     how long a player may be without an input before its place is taken from it
 * @param tokenTime    how long a player that was lost may come back
 * @param leadTime     after how long another gateway takes over the world of one that is silent
 * @param emptyTime    how long a room without players is kept
 */
@ConfigurationProperties("arena")
public record ArenaProperties(
    @Nullable String gateway,
    @DefaultValue("local") String backplane,
    @DefaultValue("0") int roomThreads,
    @DefaultValue("500") int maxRooms,
    @DefaultValue("32") int roomSize,
    @DefaultValue("20") int sayRate,
    @DefaultValue("5s") Duration joinTimeout,
    @DefaultValue("60s") Duration idleTime,
    @DefaultValue("60s") Duration tokenTime,
    @DefaultValue("3s") Duration leadTime,
    @DefaultValue("30s") Duration emptyTime) {

    /** Draws a name if there is none, and refuses values that cannot be. */
    public ArenaProperties {
        if (gateway == null) {
            gateway = "gateway-" + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x10000, 0x100000));
        }
        GatewayName.check("arena.gateway", gateway);
        if (sayRate < 1) {
            throw new IllegalArgumentException("arena.say-rate: " + sayRate + " (expected: at least 1)");
        }
    }

    /**
     * Returns the name.
     *
     * @return never null
     */
    String name() {
        String name = gateway;
        assert name != null;
        return name;
    }
}
