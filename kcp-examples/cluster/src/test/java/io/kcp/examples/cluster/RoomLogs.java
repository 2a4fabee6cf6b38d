package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the logs of rooms from Redis, without gateways and bots. */
final class RoomLogs {

    private static final int PAGE = 1_000;

    private RoomLogs() {
    }

    /** Checks that no position and no message of any player is missing or repeated, and returns the number of messages. */
    static long check(RedisServer server, String prefix, int rooms) {
        try (RedisClients clients = new RedisClients(server)) {
            long total = 0;
            for (int i = 0; i < rooms; i++) {
                String room = prefix + '-' + i;
                RoomPosition last = new RoomPosition(RedisClients.await(clients.redis.open(room)).log(), 0);
                Map<String, Long> sequences = new HashMap<>();
                List<ServerMessage.Said> page;
                do {
                    page = RedisClients.await(clients.redis.after(room, last, PAGE));
                    for (ServerMessage.Said said : page) {
                        assertThat(said.position().follows(last)).as("%s after %s in %s", said.position(), last, room).isTrue();
                        assertThat(said.sequence()).as("messages of %s in %s", said.login(), room)
                            .isEqualTo(sequences.getOrDefault(said.login(), 0L) + 1);
                        sequences.put(said.login(), said.sequence());
                        last = said.position();
                        total++;
                    }
                } while (!page.isEmpty());
            }
            return total;
        }
    }
}
