package io.kcp.examples.arena.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who gets the snapshots of a room, by event loop, so that one hand-over a loop is enough. Changes on the room's executor, which makes
 * new lists each time; the loops read those that they were given.
 */
final class Audience {

    /** At 20 a second, what a round trip of 200 ms needs. */
    private static final int MAX_UNDER_WAY = 4;

    private final ArenaCounters counters;
    private Map<EventLoop, List<Player>> playersByLoop = Map.of();

    Audience(ArenaCounters counters) {
        this.counters = counters;
    }

    void set(Collection<Player> players) {
        Map<EventLoop, List<Player>> byLoop = new HashMap<>();
        players.forEach(player -> byLoop.computeIfAbsent(player.session.eventLoop(), loop -> new ArrayList<>()).add(player));
        playersByLoop = byLoop;
    }

    void show(byte[] snapshot) {
        playersByLoop.forEach((loop, players) -> loop.execute(() -> show(snapshot, players)));
    }

    private void show(byte[] snapshot, List<Player> players) {
        int sent = 0;
        for (Player player : players) {
            if (show(snapshot, player)) {
                player.snapshots++;
                sent++;
            }
        }
        counters.snapshotsSent.add(sent);
        counters.snapshotsSkipped.add(players.size() - sent);
    }

    /** Out of band nothing waits, so nothing is old; otherwise the newest is for those that have got nearly all earlier ones. */
    private boolean show(byte[] snapshot, Player player) {
        ByteBuf bytes = Unpooled.wrappedBuffer(snapshot);
        if (player.takesOutOfBand && snapshot.length <= player.session.maxOobBytes()) {
            player.session.sendOob(bytes);
            counters.outOfBandBytesOut.add(snapshot.length);
            return true;
        }
        if (player.snapshotsUnderWay >= MAX_UNDER_WAY || !player.session.isWritable()) {
            bytes.release();
            return false;
        }
        player.snapshotsUnderWay++;
        player.session.writeAndFlush(bytes, player.session.voidPromise());
        player.session.acknowledged().addListener(arrived -> player.snapshotsUnderWay--);
        return true;
    }
}
