package io.kcp.examples.arena.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Looks at the logs of rooms as they are in Redis, without gateways and bots. */
final class RoomLogs {

    private RoomLogs() {
    }

    /** Checks that no position is missing and every user's messages are there one by one; returns how many there are. */
    static long check(String redis, String prefix, int rooms) {
        RedisClient client = RedisClient.create(redis);
        try (StatefulRedisConnection<String, byte[]> connection =
                 client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))) {
            long total = 0;
            for (int i = 0; i < rooms; i++) {
                String room = prefix + '-' + i;
                RoomPosition last = RoomPosition.START;
                Map<String, Long> sequences = new HashMap<>();
                for (var message : connection.sync().xrange(RoomKeys.log(room), Range.unbounded())) {
                    RoomEntry entry = LogFields.entry(message);
                    assertThat(entry.position().follows(last)).as("%s after %s in %s", entry.position(), last, room).isTrue();
                    assertThat(entry.sequence()).as("messages of %s in %s", entry.user(), room)
                        .isEqualTo(sequences.getOrDefault(entry.user(), 0L) + 1);
                    sequences.put(entry.user(), entry.sequence());
                    last = entry.position();
                    total++;
                }
            }
            return total;
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
