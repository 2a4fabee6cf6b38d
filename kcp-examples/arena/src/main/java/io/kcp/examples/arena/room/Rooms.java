package io.kcp.examples.arena.room;

import io.kcp.examples.arena.ArenaProperties;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerInitializedEvent;
import io.netty.buffer.Unpooled;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Manages the rooms of this gateway. Thread safe. */
@Component
public final class Rooms implements KcpDrainListener, AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Rooms.class);
    private static final int MAX_REASON_BYTES = 400;

    private final ArenaProperties properties;
    private final ArenaCounters counters;
    private final KcpSessionRegistry<String, String> registry;
    private final Room.Factory factory;
    private final EventExecutorGroup executors;
    private final ConcurrentMap<String, Room> open = new ConcurrentHashMap<>();
    private volatile @Nullable CompletionStage<?> drained;

    Rooms(ArenaProperties properties, ArenaCounters counters, KcpSessionRegistry<String, String> registry,
          ObjectProvider<Room.Factory> factory) {
        this.properties = properties;
        this.counters = counters;
        this.registry = registry;
        this.factory = factory.getIfAvailable(() -> Room::new);
        int threads = properties.roomThreads() > 0 ? properties.roomThreads() : NettyRuntime.availableProcessors();
        executors = new DefaultEventExecutorGroup(threads, new DefaultThreadFactory("arena-room"));
    }

    /**
     * Returns the settings.
     *
     * @return the settings of this gateway
     */
    public ArenaProperties properties() {
        return properties;
    }

    ArenaCounters counters() {
        return counters;
    }

    /**
     * Returns all open rooms, sorted by descending number of players.
     *
     * @return the rooms
     */
    public List<Room> list() {
        // Copies the room sizes, because the size of a room may change while the rooms are sorted.
        record Sized(Room room, int size) {
        }
        return open.values().stream().map(room -> new Sized(room, room.size()))
            .sorted(Comparator.comparingInt(Sized::size).reversed().thenComparing(sized -> sized.room.name())).map(Sized::room).toList();
    }

    /**
     * Finds a room.
     *
     * @param name the name
     * @return the room, or null if it is not open
     */
    public @Nullable Room find(String name) {
        return open.get(name);
    }

    void enter(Player player) {
        if (drained != null) {
            sendAway(player);
            return;
        }
        String name = player.roomName();
        if (open.size() >= properties.maxRooms() && !open.containsKey(name)) {
            kick(player.session, KickReason.ROOM_FULL, "this gateway already has " + properties.maxRooms() + " rooms");
            return;
        }
        Room room = open.computeIfAbsent(name, absent -> {
            Room created = factory.create(absent, this, executors.next());
            created.start();
            return created;
        });
        player.room = room;
        room.enter(player);
        if (drained != null) {
            // Drains this room separately, because a concurrent drain of all rooms may have missed a new room.
            room.drain();
        }
    }

    /** Kicks a player whose room is closed. */
    void sendAway(Player player) {
        if (drained != null) {
            kick(player.session, KickReason.DRAINING, "the gateway is shutting down");
        } else {
            kick(player.session, KickReason.UNAVAILABLE, "the room has just closed");
        }
    }

    void forget(Room room) {
        open.remove(room.name(), room);
    }

    /** Sends the reason to the peer and then closes the session. Further calls for the same session have no effect. */
    void kick(KcpChannel session, KickReason reason, String text) {
        if (session.isOpen() && KcpSessionRegistry.kickReason(session) == null) {
            counters.countKick(reason);
            String shortText = text.getBytes(StandardCharsets.UTF_8).length <= MAX_REASON_BYTES ? text : "see the log";
            LOGGER.debug("{} is kicked: {}, {}", session, reason, text);
            registry.kick(session, reason + ": " + text,
                Unpooled.wrappedBuffer(ArenaCodec.encode(new ServerMessage.Kicked(reason, shortText))));
        }
    }

    @EventListener
    void serverStarted(KcpServerInitializedEvent event) {
        drained = null;
    }

    /** Kicks all players after the server has stopped accepting sessions. The starter then closes the sessions. */
    @Override
    public CompletionStage<?> onDrain(KcpServer server) {
        return drain();
    }

    /**
     * Kicks all players with {@link KickReason#DRAINING}, and from then on every player that joins.
     *
     * @return a stage that completes when all rooms are closed
     */
    public synchronized CompletionStage<?> drain() {
        CompletionStage<?> draining = drained;
        if (draining != null) {
            return draining;
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        drained = done;
        List<Room> rooms = List.copyOf(open.values());
        LOGGER.info("Gateway {} is draining and disconnects {} players", properties.name(), rooms.stream().mapToInt(Room::size).sum());
        CompletableFuture.allOf(rooms.stream().map(Room::drain).toArray(CompletableFuture[]::new)).whenComplete((closed, failure) -> {
            LOGGER.info("Gateway {} has disconnected all players", properties.name());
            done.complete(null);
        });
        return done;
    }

    @Override
    public void close() {
        executors.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
