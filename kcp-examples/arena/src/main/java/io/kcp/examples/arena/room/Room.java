package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.World;
import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room with players, a game world and a chat. All work is done by one thread, mostly in {@link #tick()}, so the room needs no lock. Any
 * thread may call the public methods. A room that several gateways share overrides the protected methods.
 */
public class Room {

    private static final Logger LOGGER = LoggerFactory.getLogger(Room.class);
    /** Start of the year 2020 in seconds since 1970. Epochs are counted from this time, so that they fit into 31 bits until 2088. */
    private static final long FIRST_EPOCH = 1_577_836_800;
    /** Maximum number of chat messages that a player receives per tick, even if more messages are waiting for that player. */
    private static final int MESSAGES_PER_TICK = 64;

    /** Creates rooms. A bean of this type replaces the default, {@code Room::new}. */
    @FunctionalInterface
    public interface Factory {

        /**
         * Creates a room.
         *
         * @param name     the name
         * @param rooms    the rooms of the gateway
         * @param executor the thread that the room runs on
         * @return a room that is not open yet
         */
        Room create(String name, Rooms rooms, EventExecutor executor);
    }

    /** Chat messages that a player receives in one tick. */
    private record Delivery(Player player, List<byte[]> messages) {
    }

    private final String name;
    private final Rooms rooms;
    private final EventExecutor executor;
    private final Map<String, Player> players = new LinkedHashMap<>();
    private final List<Player> waiting = new ArrayList<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private @Nullable ScheduledFuture<?> ticking;
    private @Nullable ChatLog chat;
    private @Nullable World world;
    private boolean closing;
    private int ticks;
    private int emptySeconds;
    private volatile int size;
    private volatile byte @Nullable [] snapshot;

    /**
     * Creates a room.
     *
     * @param name     the name
     * @param rooms    the rooms of the gateway
     * @param executor the thread of the room
     */
    public Room(String name, Rooms rooms, EventExecutor executor) {
        this.name = name;
        this.rooms = rooms;
        this.executor = executor;
    }

    void start() {
        executor.execute(this::open);
        long tickMicros = TimeUnit.SECONDS.toMicros(1) / World.TICKS_PER_SECOND;
        ticking = executor.scheduleAtFixedRate(this::tick, tickMicros, tickMicros, TimeUnit.MICROSECONDS);
    }

    // ---- from any thread

    /**
     * Returns the name of the room.
     *
     * @return the name
     */
    public final String name() {
        return name;
    }

    /**
     * Returns the number of players in the room.
     *
     * @return players of this gateway
     */
    public final int size() {
        return size;
    }

    /**
     * Returns the current view of the game world.
     *
     * @return the view, or null before the first tick
     */
    public final @Nullable WorldView view() {
        byte[] newest = snapshot;
        return newest != null && ArenaCodec.decode(Unpooled.wrappedBuffer(newest)) instanceof ServerMessage.Snapshot shown
            ? shown.view() : null;
    }

    /**
     * Returns the thread of the room.
     *
     * @return an executor with one thread
     */
    protected final EventExecutor executor() {
        return executor;
    }

    void enter(Player player) {
        executor.execute(() -> onEnter(player));
    }

    void leave(Player player, boolean forGood) {
        executor.execute(() -> {
            waiting.remove(player);
            if (players.remove(player.login, player)) {
                size = players.size();
                if (forGood) {
                    leaveWorld(player.login);
                }
            }
        });
    }

    /**
     * Publishes a chat message after all earlier messages of the same player. The returned stage completes with the acknowledgement, or
     * with null if there is none.
     */
    CompletionStage<ServerMessage.@Nullable Ack> say(Player player, ClientMessage.Say say) {
        CompletableFuture<ServerMessage.@Nullable Ack> answer = new CompletableFuture<>();
        executor.execute(() -> {
            if (players.get(player.login) != player) {
                rooms.kick(player.session, KickReason.PROTOCOL, "the player has not joined a room");
                answer.complete(null);
                return;
            }
            player.published = player.published.thenComposeAsync(earlier -> publish(player.login, say.sequence(), say.text()), executor);
            // Completes the future on the session's event loop, so that acknowledgements are sent to the player in order.
            player.published.whenCompleteAsync((done, failure) -> answer.complete(onPublished(player, say, failure)),
                player.session.eventLoop());
        });
        return answer;
    }

    private ServerMessage.@Nullable Ack onPublished(Player player, ClientMessage.Say say, @Nullable Throwable failure) {
        if (failure == null) {
            rooms.counters().said.increment();
            return new ServerMessage.Ack(say.sequence());
        }
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof IllegalArgumentException) {
            rooms.kick(player.session, KickReason.EXPIRED, "the room has lost your earlier messages");
        } else {
            LOGGER.warn("Room {}: a message of {} was not published", name, player.login, cause);
            rooms.kick(player.session, KickReason.UNAVAILABLE, "the room is unavailable");
        }
        return null;
    }

    // ---- players

    private void onEnter(Player player) {
        ChatLog log = chat;
        if (closing) {
            rooms.sendAway(player);
        } else if (log == null) {
            waiting.add(player);
        } else if (player.session.isActive()) {
            admit(player, log);
        }
    }

    private void admit(Player player, ChatLog log) {
        boolean resume = player.join.resume();
        Player before = players.get(player.login);
        if (before != null && before.join.attempt() - player.join.attempt() > 0) {
            rooms.kick(player.session, KickReason.TAKEN_OVER, "a newer session of this player is in the room");
            return;
        }
        if (resume && !log.hasAllAfter(player.heard)) {
            rooms.kick(player.session, KickReason.EXPIRED, "the room no longer has the messages after " + player.heard);
            return;
        }
        // Admits resuming players up to twice the room size, because their fighters are still in the world.
        int roomSize = rooms.properties().roomSize();
        if (before == null && players.size() >= (resume ? 2 * roomSize : roomSize)) {
            rooms.kick(player.session, KickReason.ROOM_FULL, players.size() + " players are in the room; try again later");
            return;
        }
        if (before != null) {
            rooms.kick(before.session, KickReason.TAKEN_OVER, "this player has joined again");
        }
        if (!resume) {
            player.heard = log.head();
        }
        players.put(player.login, player);
        size = players.size();
        player.welcome(resume, rooms.properties().name());
    }

    // ---- time

    /** Applies the players' inputs, advances the world by one tick, and sends a snapshot and the new chat messages to the players. */
    private void tick() {
        try {
            if (closing || chat == null) {
                return;
            }
            Map<String, PlayerInput> inputs = new HashMap<>();
            for (Player player : players.values()) {
                PlayerInput input = player.takeInput();
                player.idleTicks = input == null ? player.idleTicks + 1 : 0;
                if (input != null) {
                    inputs.put(player.login, input);
                }
            }
            deliver(simulate(inputs));
            if (++ticks % World.TICKS_PER_SECOND == 0) {
                everySecond();
            }
        } catch (RuntimeException mistake) {
            LOGGER.error("Room {}: a tick failed", name, mistake);
        }
    }

    /**
     * Sends a snapshot and new chat messages to the players.
     *
     * @param newest the encoded snapshot, or null to send only chat messages
     */
    protected final void deliver(byte @Nullable [] newest) {
        if (newest != null) {
            snapshot = newest;
        }
        Map<EventLoop, List<Delivery>> byLoop = new HashMap<>();
        for (Player player : players.values()) {
            List<byte[]> messages = messagesFor(player);
            if (newest != null || !messages.isEmpty()) {
                byLoop.computeIfAbsent(player.session.eventLoop(), loop -> new ArrayList<>()).add(new Delivery(player, messages));
            }
        }
        byLoop.forEach((loop, deliveries) ->
            loop.execute(() -> deliveries.forEach(delivery -> delivery.player.send(delivery.messages, newest))));
    }

    /**
     * Returns the chat messages to send to a player next. A player whose session is not writable receives none, and its messages remain in
     * the log.
     */
    private List<byte[]> messagesFor(Player player) {
        ChatLog log = chat;
        if (log == null || player.heard.equals(log.head()) || !player.session.isWritable()) {
            return List.of();
        }
        if (!log.hasAllAfter(player.heard)) {
            rooms.kick(player.session, KickReason.EXPIRED, "the room no longer has the messages after " + player.heard);
            return List.of();
        }
        List<byte[]> messages = log.after(player.heard, MESSAGES_PER_TICK);
        player.heard = new RoomPosition(player.heard.log(), player.heard.entry() + messages.size());
        return messages;
    }

    /** Closes the room if it has been empty for too long, and kicks idle players. Called once per second. */
    protected void everySecond() {
        emptySeconds = players.isEmpty() ? emptySeconds + 1 : 0;
        if (Duration.ofSeconds(emptySeconds).compareTo(rooms.properties().emptyTime()) > 0) {
            close();
            return;
        }
        long maxIdleTicks = rooms.properties().idleTime().toMillis() * World.TICKS_PER_SECOND / 1000;
        for (Player player : players.values()) {
            if (player.idleTicks > maxIdleTicks) {
                rooms.kick(player.session, KickReason.IDLE, "no input for " + rooms.properties().idleTime().toSeconds() + " s");
            }
        }
    }

    /** Kicks all players and closes the room. The returned future completes when the room has closed. */
    CompletableFuture<?> drain() {
        executor.execute(() -> {
            players.values().forEach(rooms::sendAway);
            waiting.forEach(rooms::sendAway);
            close();
        });
        return closed;
    }

    private void close() {
        if (!closing) {
            closing = true;
            rooms.forget(this);
            ScheduledFuture<?> ticks = ticking;
            if (ticks != null) {
                ticks.cancel(false);
            }
            onClose().whenComplete((done, failure) -> closed.complete(null));
        }
    }

    // ---- what a room shared by several gateways does differently

    /** Opens the room and then calls {@link #opened}, either before this method returns or later. */
    protected void open() {
        world = newWorld();
        opened(new ChatLog(rooms.properties().history(), new RoomPosition(System.currentTimeMillis(), 0)));
    }

    /**
     * Marks the room as open and admits all waiting players. Later players are admitted immediately.
     *
     * @param log the messages of the room
     */
    protected final void opened(ChatLog log) {
        chat = log;
        List<Player> admitted = List.copyOf(waiting);
        waiting.clear();
        admitted.forEach(this::onEnter);
    }

    /**
     * Kicks all waiting players and closes the room.
     *
     * @param cause the reason why the room cannot be opened
     */
    protected final void openFailed(Throwable cause) {
        LOGGER.warn("Room {} cannot be opened", name, cause);
        waiting.forEach(player -> rooms.kick(player.session, KickReason.UNAVAILABLE, "the room is unavailable"));
        close();
    }

    /**
     * Creates a world with a higher epoch than this room's earlier worlds, so that players accept the snapshots of the new world as newer.
     *
     * @return a world without players
     */
    protected static World newWorld() {
        long epoch = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) - FIRST_EPOCH;
        return new World(ThreadLocalRandom.current().nextLong(), (int) epoch);
    }

    /**
     * Returns the world that this gateway simulates.
     *
     * @return the world, or null if another gateway simulates it
     */
    protected final @Nullable World world() {
        return world;
    }

    /**
     * Starts or stops simulating the world.
     *
     * @param simulated the world, or null to stop
     */
    protected final void setWorld(@Nullable World simulated) {
        world = simulated;
    }

    /**
     * Adds a chat message to the log unless the log already contains its sequence number.
     *
     * @param login    the player
     * @param sequence number of the message among those of this player in this room
     * @param text     the message
     * @return a stage that completes when the message will not be lost, and fails with an {@link IllegalArgumentException} if the sequence
     *         number is higher than the next one of the player
     */
    protected CompletionStage<@Nullable Void> publish(String login, long sequence, String text) {
        ChatLog log = chat;
        if (log != null) {
            log.append(login, sequence, text);
        }
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Simulates a tick.
     *
     * @param inputs new inputs of players, by login
     * @return the encoded snapshot, null if there is none
     */
    protected byte @Nullable [] simulate(Map<String, PlayerInput> inputs) {
        World simulated = world;
        if (simulated == null) {
            return null;
        }
        inputs.forEach(simulated::apply);
        simulated.tick();
        return ArenaCodec.encode(new ServerMessage.Snapshot(simulated.view()));
    }

    /**
     * Removes from the world a player that has left the room permanently.
     *
     * @param login the player
     */
    protected void leaveWorld(String login) {
        World simulated = world;
        if (simulated != null) {
            simulated.leave(login);
        }
    }

    /**
     * Releases the resources of the room.
     *
     * @return a stage that completes when all resources are released
     */
    protected CompletionStage<?> onClose() {
        return CompletableFuture.completedFuture(null);
    }
}
