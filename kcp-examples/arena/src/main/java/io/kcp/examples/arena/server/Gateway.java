package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.NameHolder;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.util.AttributeKey;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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

/** What the sessions and the rooms of one gateway have in common. May be called from any thread. */
public final class Gateway implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Gateway.class);
    /**
     * For how long nobody must have come before a gateway that drains ends. Must be longer than the longest time that a client takes
     * from {@code Kicked DRAINING} to its next Join: the first delay of its reconnect, as it was answered (50 ms for the bots), and the
     * way there and back. Whoever takes longer may come to a gateway that lets nobody in any more, and waits for an answer in vain.
     */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final AttributeKey<PlayerSession> SESSION = AttributeKey.valueOf(Gateway.class, "SESSION");

    private final ArenaProperties properties;
    private final RoomBackplane backplane;
    private final KcpSessionRegistry<String, String> registry;
    private final ArenaCounters counters = new ArenaCounters();
    private final EventExecutorGroup executors;
    private final ConcurrentMap<String, Room> rooms = new ConcurrentHashMap<>();
    private volatile boolean draining;
    private volatile boolean sentAway;
    private volatile long sentAwayNanos;

    Gateway(ArenaProperties properties, RoomBackplane backplane, KcpSessionRegistry<String, String> registry) {
        this.properties = properties;
        this.backplane = backplane;
        this.registry = registry;
        int threads = properties.roomThreads() > 0 ? properties.roomThreads() : NettyRuntime.availableProcessors();
        executors = new DefaultEventExecutorGroup(threads, new DefaultThreadFactory("arena-room"));
        LOGGER.info("Gateway {} with backplane {}", properties.name(), backplane);
    }

    ArenaProperties properties() {
        return properties;
    }

    RoomBackplane backplane() {
        return backplane;
    }

    KcpSessionRegistry<String, String> registry() {
        return registry;
    }

    ArenaCounters counters() {
        return counters;
    }

    /** Makes the handler of a new session. */
    PlayerSession newSession(KcpChannel session) {
        PlayerSession handler = new PlayerSession(this, session);
        session.attr(SESSION).set(handler);
        return handler;
    }

    /**
     * Tells who plays by a session.
     *
     * @param session any; this is called on its event loop
     * @return null before it is in
     */
    public @Nullable SessionFigures sessionFigures(KcpChannel session) {
        PlayerSession handler = session.attr(SESSION).get();
        return handler != null ? handler.figures() : null;
    }

    void countJoin(boolean resumed) {
        counters.joined.increment();
        if (resumed) {
            counters.resumed.increment();
        }
    }

    // ---- rooms

    /** Lets a player into a room, which begins to exist with its first one; null if there are too many. */
    @Nullable Room enter(String roomName, Player player) {
        int maxRooms = player.resumed ? 2 * properties.maxRooms() : properties.maxRooms();
        if (rooms.size() >= maxRooms && !rooms.containsKey(roomName)) {
            return null;
        }
        Room room = rooms.computeIfAbsent(roomName, absent -> new Room(absent, this, executors.next()));
        room.enter(player);
        if (draining) {
            // It may have been made after the drain looked for rooms.
            room.drain();
        }
        return room;
    }

    /** Called by a room that has ended. */
    void forget(Room room) {
        rooms.remove(room.name(), room);
    }

    /**
     * Returns the rooms that are open.
     *
     * @return those of this moment, those with most players first
     */
    public List<Room> rooms() {
        // Rooms fill and empty meanwhile: a sort must not see that.
        record Counted(Room room, int size) {
        }
        List<Counted> open = new ArrayList<>();
        rooms.values().forEach(room -> open.add(new Counted(room, room.size())));
        open.sort(Comparator.comparingInt(Counted::size).reversed().thenComparing(counted -> counted.room().name()));
        return open.stream().map(Counted::room).toList();
    }

    /**
     * Finds a room.
     *
     * @param name its name
     * @return null if it is not open
     */
    public @Nullable Room room(String name) {
        return rooms.get(name);
    }

    // ---- players

    /** Gives a player's name to its session, and sends an earlier one of the player away. False if the player has sent a later one. */
    boolean takeOver(Player player) {
        KcpChannel before = registry.bind(player.name, player.session);
        PlayerSession handler = before != null ? before.attr(SESSION).get() : null;
        if (before == null || handler == null) {
            return true;
        }
        Player other = handler.joining();
        if (other != null && other.login.equals(player.login) && other.attempt - player.attempt > 0) {
            registry.bind(player.name, before);
            return false;
        }
        kick(before, KickReason.TAKEN_OVER, "came in again");
        return true;
    }

    /**
     * Says to all gateways that a player is here; if that fails, its next message says so again. If the player came in elsewhere by a
     * later attempt, this one is over.
     */
    void claim(Player player) {
        player.claimAsked = true;
        backplane.claim(player.login, properties.name(), player.attempt, claimTime()).whenComplete((holder, failure) -> {
            if (failure != null) {
                LOGGER.debug("{} is not claimed", player.login, failure);
                player.claimAsked = player.claimed;
            } else if (properties.name().equals(holder)) {
                player.claimed = true;
            } else {
                kick(player.session, KickReason.TAKEN_OVER, "came in at " + holder);
            }
        });
    }

    /** Remembers that a player is in its room; fails if that fails. */
    CompletionStage<RoomPosition> remember(Player player) {
        return backplane.enter(player.room, player.login, player.after, properties.tokenTime().plus(claimTime()));
    }

    /**
     * Keeps a player's name, and its place once it has one: who has not spoken yet may be said to be where it was before. A name that
     * was lost is somebody else's, or free: a gateway that did not run for a while must not take it again for who has left elsewhere.
     */
    void renew(Player player) {
        if (player.nameGiven || player.replaced) {
            return;
        }
        backplane.keep(player.name, player.token.bytes(), properties.tokenTime().plus(claimTime())).thenAccept(holder -> {
            if (holder == NameHolder.ANOTHER) {
                kick(player.session, KickReason.TAKEN_OVER, "somebody else is " + player.name);
            } else if (holder == NameHolder.NOBODY) {
                player.nameGiven = true;
                end(player.session, KickReason.EXPIRED, "the name has become free");
            } else {
                remember(player);
            }
        });
        if (player.claimed) {
            claim(player);
        }
    }

    /** Called by the room when a player's session has ended. */
    void release(Player player, boolean forGood) {
        if (player.replaced || registry.find(player.name) != null) {
            return;
        }
        if (!forGood) {
            backplane.keep(player.name, player.token.bytes(), properties.tokenTime());
        } else {
            backplane.enter(player.room, player.login, player.after, Duration.ZERO);
            if (!player.nameGiven) {
                backplane.bind(player.name, player.token.bytes(), Duration.ZERO);
            }
        }
        backplane.claim(player.login, properties.name(), player.attempt, Duration.ZERO);
    }

    private Duration claimTime() {
        return Duration.ofSeconds(3 * Room.RENEW_SECONDS);
    }

    /** Closes a session, and tells the player why. */
    void kick(KcpChannel session, KickReason reason, String text) {
        PlayerSession handler = session.attr(SESSION).get();
        Player player = handler != null ? handler.joining() : null;
        if (reason == KickReason.TAKEN_OVER && player != null) {
            player.replaced = true;
        }
        end(session, reason, text);
    }

    /** Tells a player that there is no place. What it had not before it does not have now. */
    void refuse(Player player, String text) {
        if (player.nameBefore == NameHolder.NOBODY) {
            expel(player, KickReason.ROOM_FULL, text);
        } else {
            kick(player.session, KickReason.ROOM_FULL, text);
        }
    }

    /** Sends a player away, who finds its name free when it hears this: whoever renews it meanwhile does not take it again. */
    void expel(Player player, KickReason reason, String text) {
        if (player.replaced) {
            end(player.session, reason, text);
        } else if (!player.nameGiven) {
            player.nameGiven = true;
            backplane.bind(player.name, player.token.bytes(), Duration.ZERO)
                .whenComplete((freed, failure) -> end(player.session, reason, text));
        }
    }

    private void end(KcpChannel session, KickReason reason, String text) {
        if (session.isOpen() && KcpSessionRegistry.kickReason(session) == null) {
            counters.countKick(reason);
            if (reason == KickReason.DRAINING) {
                sentAwayNanos = System.nanoTime();
                sentAway = true;
            }
            registry.kick(session, reason + ": " + text, PlayerSession.farewell(reason, text));
        }
    }

    // ---- figures

    /**
     * Returns what happened so far.
     *
     * @return the figures
     */
    public ArenaFigures figures() {
        Collection<Room> open = rooms.values();
        return counters.figures(open.size(), open.stream().mapToInt(Room::size).sum());
    }

    /**
     * Returns the name.
     *
     * @return the gateway's name
     */
    public String name() {
        return properties.name();
    }

    // ---- end

    boolean isDraining() {
        return draining;
    }

    /** Lets players in, also after a drain. */
    void open() {
        draining = false;
        sentAway = false;
    }

    /** Sends all players away, to come back elsewhere, and leaves the worlds to others. */
    CompletableFuture<?> drain() {
        draining = true;
        List<CompletableFuture<?>> drained = new ArrayList<>();
        rooms.values().forEach(room -> drained.add(room.drain()));
        return CompletableFuture.allOf(drained.toArray(CompletableFuture[]::new)).thenCompose(gone -> {
            CompletableFuture<@Nullable Void> quiet = new CompletableFuture<>();
            awaitQuiet(quiet);
            return quiet;
        });
    }

    /** A balancer sends some of them back here. As long as they come they are told at once, rather than left to wait in vain. */
    private void awaitQuiet(CompletableFuture<@Nullable Void> quiet) {
        long leftNanos = sentAway ? sentAwayNanos + QUIET_NANOS - System.nanoTime() : 0;
        if (leftNanos <= 0) {
            quiet.complete(null);
        } else {
            executors.schedule(() -> awaitQuiet(quiet), leftNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        executors.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
