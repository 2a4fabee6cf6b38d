package io.kcp.examples.arena.cluster;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where what the gateways share is, and how much of it.
 *
 * @param uri     Redis, as {@code redis://user:password@host:port/database}
 * @param entries how many messages of each room are kept at least; a client that comes back after more has missed some, and sees
 *                it by the jump in the positions
 * @param kept    how long a room that nobody writes to is kept, with what is known of its users
 * @param timeout how long an answer may take
 */
@ConfigurationProperties("arena.redis")
public record RedisBackplaneProperties(@DefaultValue("redis://localhost:6379") String uri, @DefaultValue("100000") int entries,
    @DefaultValue("1d") Duration kept, @DefaultValue("5s") Duration timeout) {

    /** Checks the values. */
    public RedisBackplaneProperties {
        if (entries < 1) {
            throw new IllegalArgumentException("arena.redis.entries: " + entries + " (expected: at least 1)");
        }
        if (kept.toMillis() < 1) {
            throw new IllegalArgumentException("arena.redis.kept: " + kept + " (expected: at least 1 ms)");
        }
        if (timeout.compareTo(LogReader.BLOCK) <= 0) {
            throw new IllegalArgumentException("arena.redis.timeout: " + timeout + " (expected: more than " + LogReader.BLOCK
                + ", for which a reader waits)");
        }
    }
}
