package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.room.Subscription;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands the messages of a room to its players: to each all after its position, in order, none twice. Who is where the room is hears
 * the broadcast; who is not is served by a subscription of its own until it is. On the room's executor.
 */
final class RoomLog {

    /** A player that has not heard everything that the room has. */
    private static final class Latecomer {
        private RoomPosition position;
        private @Nullable Subscription subscription;
        private boolean done;

        Latecomer(RoomPosition position) {
            this.position = position;
        }
    }

    private final String room;
    private final Gateway gateway;
    private final RoomBackplane backplane;
    private final KcpSessionRegistry<String, String> registry;
    private final ArenaCounters counters;
    private final EventExecutor executor;
    private final Map<Player, Latecomer> latecomers = new LinkedHashMap<>();
    private @Nullable RoomPosition live;
    private @Nullable Subscription subscription;
    private final Set<Player> listeners = new HashSet<>();

    RoomLog(String room, Gateway gateway, EventExecutor executor) {
        this.room = room;
        this.gateway = gateway;
        this.backplane = gateway.backplane();
        this.registry = gateway.registry();
        this.counters = gateway.counters();
        this.executor = executor;
    }

    /** Returns what the room has heard, null before it is open. */
    @Nullable RoomPosition live() {
        return live;
    }

    void open(RoomPosition head) {
        live = head;
        subscription = backplane.subscribe(room, head, entry -> executor.execute(() -> onEntry(entry)));
    }

    /** Begins to hand over. */
    void add(Player player, RoomPosition after) {
        if (after.equals(live)) {
            listen(player);
            return;
        }
        Latecomer latecomer = new Latecomer(after);
        latecomers.put(player, latecomer);
        latecomer.subscription =
            backplane.subscribe(room, after, entry -> executor.execute(() -> onMissed(player, latecomer, entry)));
    }

    void remove(Player player) {
        Latecomer latecomer = latecomers.remove(player);
        if (latecomer != null) {
            end(latecomer);
        } else if (listeners.remove(player)) {
            registry.leave(room, player.session);
        }
    }

    private void listen(Player player) {
        registry.join(room, player.session);
        listeners.add(player);
    }

    private void onEntry(RoomEntry entry) {
        if (live == null || !entry.position().isAfter(live)) {
            return;
        }
        if (!listeners.isEmpty()) {
            registry.broadcast(room, bytes(entry));
            counters.heard.add(listeners.size());
        }
        live = entry.position();
        List<Player> arrived = new ArrayList<>();
        latecomers.forEach((player, latecomer) -> {
            if (latecomer.position.equals(live)) {
                arrived.add(player);
            }
        });
        arrived.forEach(this::arrive);
    }

    private void onMissed(Player player, Latecomer latecomer, RoomEntry entry) {
        if (latecomer.done || !entry.position().isAfter(latecomer.position)) {
            return;
        }
        if (!entry.position().follows(latecomer.position)) {
            remove(player);
            gateway.kick(player.session, KickReason.EXPIRED, "the room has forgotten what came after " + latecomer.position);
            return;
        }
        latecomer.position = entry.position();
        player.session.writeAndFlush(bytes(entry), player.session.voidPromise());
        counters.heard.increment();
        if (latecomer.position.equals(live)) {
            arrive(player);
        }
    }

    private void arrive(Player player) {
        Latecomer latecomer = latecomers.remove(player);
        if (latecomer != null) {
            end(latecomer);
            listen(player);
        }
    }

    private static void end(Latecomer latecomer) {
        latecomer.done = true;
        Subscription own = latecomer.subscription;
        if (own != null) {
            own.close();
        }
    }

    private static ByteBuf bytes(RoomEntry entry) {
        return Unpooled.wrappedBuffer(ArenaCodec.encode(new ServerMessage.Said(entry.position(), entry.user(), entry.sequence(),
            new String(entry.message(), StandardCharsets.UTF_8))));
    }

    void close() {
        Subscription open = subscription;
        if (open != null) {
            open.close();
        }
        latecomers.values().forEach(RoomLog::end);
        latecomers.clear();
    }
}
