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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the messages of a room to its players: to each all after its position, in order, none twice. Who is where the room is hears
 * the broadcast. Who is not, or does not take what it is told, reads the log by pages until it is, one page when there is place for
 * it: what waits for a player is little, however slow it is and however much it has missed. So does everybody when the broadcast has
 * a gap; whom the log cannot give what is missing, as it has forgotten it or begun anew, comes in anew. On the room's executor.
 */
final class RoomLog {

    private static final Logger LOGGER = LoggerFactory.getLogger(RoomLog.class);
    private static final int ENTRIES_PER_PAGE = 64;
    private static final long RETRY_MS = 200;

    /** A player that has not heard everything that the room has. */
    private static final class Latecomer {
        private RoomPosition position;
        private boolean reading;

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
        latecomers.put(player, new Latecomer(after));
        goOn(player);
    }

    void remove(Player player) {
        latecomers.remove(player);
        if (listeners.remove(player)) {
            registry.leave(room, player.session);
        }
    }

    private void onEntry(RoomEntry entry) {
        RoomPosition before = live;
        if (before == null || !entry.position().isAfter(before)) {
            return;
        }
        // What is missing they read in the log, or find that it is forgotten there too.
        boolean missing = !entry.position().follows(before);
        leaveBehind(before, player -> missing || !player.session.isWritable());
        ByteBuf said = listeners.isEmpty() ? null : bytes(entry);
        if (said != null) {
            registry.broadcast(room, said);
            counters.heard.add(listeners.size());
        }
        live = entry.position();
        List.copyOf(latecomers.keySet()).forEach(this::goOn);
    }

    private void leaveBehind(RoomPosition heard, Predicate<Player> who) {
        listeners.removeIf(player -> {
            if (!who.test(player)) {
                return false;
            }
            registry.leave(room, player.session);
            latecomers.put(player, new Latecomer(heard));
            return true;
        });
    }

    /** Hands the next page to a player if it misses something and can take it. */
    void goOn(Player player) {
        Latecomer latecomer = latecomers.get(player);
        RoomPosition heard = live;
        if (latecomer == null || latecomer.reading || heard == null) {
            return;
        }
        if (latecomer.position.equals(heard)) {
            latecomers.remove(player);
            registry.join(room, player.session);
            listeners.add(player);
        } else if (heard.isAfter(latecomer.position) && player.session.isWritable()) {
            latecomer.reading = true;
            backplane.after(room, latecomer.position, ENTRIES_PER_PAGE)
                .whenComplete((page, failure) -> executor.execute(() -> onPage(player, latecomer, page, failure)));
        }
    }

    private void onPage(Player player, Latecomer latecomer, @Nullable List<RoomEntry> page, @Nullable Throwable failure) {
        if (latecomers.get(player) != latecomer) {
            return;
        }
        if (failure != null || page == null) {
            executor.schedule(() -> {
                latecomer.reading = false;
                goOn(player);
            }, RETRY_MS, TimeUnit.MILLISECONDS);
            return;
        }
        latecomer.reading = false;
        // The room has heard more, so an empty page is a loss too.
        boolean complete = !page.isEmpty();
        for (RoomEntry entry : page) {
            complete &= entry.position().follows(latecomer.position);
            if (complete) {
                latecomer.position = entry.position();
                ByteBuf said = bytes(entry);
                if (said != null) {
                    player.session.write(said, player.session.voidPromise());
                    counters.heard.increment();
                }
            }
        }
        player.session.flush();
        if (complete) {
            goOn(player);
        } else {
            remove(player);
            gateway.expel(player, KickReason.EXPIRED, "the room has forgotten what came after " + latecomer.position);
        }
    }

    /** Null for what somebody else wrote into the log: it has its place there, and is no message. */
    private @Nullable ByteBuf bytes(RoomEntry entry) {
        try {
            return Unpooled.wrappedBuffer(ArenaCodec.encode(new ServerMessage.Said(entry.position(), entry.user(), entry.sequence(),
                new String(entry.message(), StandardCharsets.UTF_8))));
        } catch (IllegalArgumentException foreign) {
            LOGGER.warn("Room {}: what stands at {} is skipped: {}", room, entry.position(), foreign.getMessage());
            return null;
        }
    }

    void close() {
        Subscription open = subscription;
        if (open != null) {
            open.close();
        }
        latecomers.clear();
    }
}
