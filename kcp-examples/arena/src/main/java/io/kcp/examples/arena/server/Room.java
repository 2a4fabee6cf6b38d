package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.room.Subscription;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaDecodeException;
import io.kcp.examples.arena.wire.ForwardedInput;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.World;
import io.kcp.examples.arena.world.WorldView;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one gateway has of a room: its own players, and the world if it leads, else what the leader shows of it. Everything happens on
 * its executor, unless it says otherwise.
 */
public final class Room {

    /** How often a player's place is renewed, in seconds. */
    static final int RENEW_SECONDS = 10;

    private static final Logger LOGGER = LoggerFactory.getLogger(Room.class);
    /** Of messages that a player does not take. */
    private static final long MAX_QUEUED_BYTES = 1 << 20;

    private final String name;
    private final Gateway gateway;
    private final RoomBackplane backplane;
    private final EventExecutor executor;
    private final RoomLog log;
    private final RoomLead lead;
    private final Audience audience;
    private final Map<String, Player> players = new LinkedHashMap<>();
    private final List<Player> entering = new ArrayList<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final ScheduledFuture<?> ticking;
    private int ticks;
    private int emptyTicks;
    private boolean closed;
    private volatile int size;
    private volatile boolean leading;
    private volatile byte @Nullable [] snapshot;

    Room(String name, Gateway gateway, EventExecutor executor) {
        this.name = name;
        this.gateway = gateway;
        this.backplane = gateway.backplane();
        this.executor = executor;
        log = new RoomLog(name, gateway, executor);
        lead = new RoomLead(name, gateway, executor, System::currentTimeMillis);
        audience = new Audience(gateway.counters());
        subscriptions.add(backplane.inputs(name, input -> executor.execute(() -> onForwarded(input))));
        subscriptions.add(backplane.snapshots(name, shown -> executor.execute(() -> onShown(shown))));
        backplane.head(name).whenComplete((head, failure) -> executor.execute(() -> onHead(head, failure)));
        executor.execute(lead::renew);
        long tickMicros = TimeUnit.SECONDS.toMicros(1) / World.TICKS_PER_SECOND;
        ticking = executor.scheduleAtFixedRate(this::tick, tickMicros, tickMicros, TimeUnit.MICROSECONDS);
    }

    // ---- from any thread

    /**
     * Returns the name.
     *
     * @return the room's name
     */
    public String name() {
        return name;
    }

    /**
     * Returns how many players of this gateway are in it.
     *
     * @return players
     */
    public int size() {
        return size;
    }

    /**
     * Tells whether this gateway simulates its world.
     *
     * @return whether it does
     */
    public boolean leads() {
        return leading;
    }

    /**
     * Returns how the world looks.
     *
     * @return the newest view, null if there was none yet
     */
    public @Nullable WorldView view() {
        byte[] newest = snapshot;
        if (newest == null) {
            return null;
        }
        try {
            return ArenaCodec.decode(Unpooled.wrappedBuffer(newest)) instanceof ServerMessage.Snapshot shown ? shown.view() : null;
        } catch (ArenaDecodeException fromAnotherVersion) {
            LOGGER.debug("Room {}", name, fromAnotherVersion);
            return null;
        }
    }

    void enter(Player player) {
        executor.execute(() -> onEnter(player));
    }

    /** A player can be told more of what was said. */
    void tellMore(Player player) {
        executor.execute(() -> log.goOn(player));
    }

    void leave(Player player, boolean forGood) {
        executor.execute(() -> onLeave(player, forGood));
    }

    // ---- players

    private void onEnter(Player player) {
        if (closed) {
            sendAway(player);
            return;
        }
        RoomPosition live = log.live();
        if (live == null) {
            entering.add(player);
            return;
        }
        if (player.resumed && player.after.isAfter(live)) {
            admitFromAfar(player);
        } else {
            admit(player, player.resumed ? player.after : live);
        }
    }

    /** Either this gateway has not heard yet what the player heard elsewhere, or there is no such log any more. */
    private void admitFromAfar(Player player) {
        backplane.head(name).whenComplete((head, failure) -> executor.execute(() -> {
            if (closed) {
                sendAway(player);
            } else if (failure != null) {
                gateway.kick(player.session, KickReason.UNAVAILABLE, "the gateway has lost the others");
            } else if (player.after.isAfter(head)) {
                gateway.expel(player, KickReason.EXPIRED, "the room is a new one");
            } else {
                admit(player, player.after);
            }
        }));
    }

    /** It came as the room ended. */
    private void sendAway(Player player) {
        if (gateway.isDraining()) {
            gateway.kick(player.session, KickReason.DRAINING, "another gateway takes you");
        } else {
            gateway.kick(player.session, KickReason.UNAVAILABLE, "the room has just ended");
        }
    }

    private void admit(Player player, RoomPosition position) {
        if (!player.session.isActive()) {
            return;
        }
        Player before = players.get(player.login);
        if (before != null) {
            remove(before);
        } else if (!hasPlaceFor(player)) {
            gateway.refuse(player, "there are " + players.size() + " players here; ask again later");
            return;
        }
        player.after = position;
        players.put(player.login, player);
        onPlayersChanged();
        // Before the player knows: by this it is known when it comes back.
        gateway.remember(player).whenComplete((since, failure) -> executor.execute(() -> onRemembered(player, failure)));
    }

    private void onRemembered(Player player, @Nullable Throwable failure) {
        if (closed || players.get(player.login) != player) {
            return;
        }
        if (failure != null) {
            gateway.kick(player.session, KickReason.UNAVAILABLE, "the gateway has lost the others");
            return;
        }
        player.welcomed = true;
        onPlayersChanged();
        player.handler.welcome(player, player.after);
        log.add(player, player.after);
    }

    /**
     * Who comes back finds a place, though others are told that there is none: its gateway may have ended, and it has a fighter in the
     * world, or gets one before anybody who is not in.
     */
    private boolean hasPlaceFor(Player player) {
        int roomSize = gateway.properties().roomSize();
        if (player.resumed) {
            return players.size() < 2 * roomSize;
        }
        WorldView world = view();
        return players.size() < roomSize && (world == null || world.players().size() < World.MAX_PLAYERS);
    }

    private void onLeave(Player player, boolean forGood) {
        // Here, so that no renewal comes after it.
        gateway.release(player, forGood);
        entering.remove(player);
        if (players.get(player.login) == player) {
            remove(player);
            onPlayersChanged();
            if (forGood) {
                leaveWorld(player.login);
            }
        }
    }

    private void remove(Player player) {
        players.remove(player.login);
        log.remove(player);
    }

    private void onPlayersChanged() {
        size = players.size();
        audience.set(players.values().stream().filter(player -> player.welcomed).toList());
        emptyTicks = 0;
    }

    private void leaveWorld(String login) {
        World world = lead.world();
        if (world != null) {
            world.leave(login);
        } else {
            backplane.sendInput(name, new ForwardedInput(login, null).encode());
        }
    }

    private void onHead(@Nullable RoomPosition head, @Nullable Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null || head == null) {
            LOGGER.warn("Room {} cannot be opened: the backplane failed", name, failure);
            entering.forEach(player -> gateway.kick(player.session, KickReason.UNAVAILABLE, "the gateway has lost the others"));
            close();
            return;
        }
        log.open(head);
        entering.forEach(this::onEnter);
        entering.clear();
    }

    // ---- world

    private void tick() {
        try {
            World world = lead.world();
            leading = world != null;
            for (Player player : players.values()) {
                PlayerInput input = player.takeInput();
                if (input == null) {
                    player.idleTicks++;
                    continue;
                }
                player.idleTicks = 0;
                if (world != null) {
                    world.apply(player.login, input);
                } else {
                    backplane.sendInput(name, new ForwardedInput(player.login, input).encode());
                }
            }
            if (world != null) {
                world.tick();
                byte[] shown = ArenaCodec.encode(new ServerMessage.Snapshot(world.view()));
                show(shown);
                backplane.publishSnapshot(name, shown);
            }
            if (++ticks % World.TICKS_PER_SECOND == 0) {
                everySecond();
            }
        } catch (RuntimeException mistake) {
            LOGGER.error("Room {}: a tick failed", name, mistake);
        }
    }

    private void show(byte[] shown) {
        snapshot = shown;
        audience.show(shown);
    }

    private void onShown(byte[] shown) {
        if (!closed && !leading) {
            show(shown);
        }
    }

    private void onForwarded(byte[] bytes) {
        World world = lead.world();
        if (world == null) {
            return;
        }
        try {
            ForwardedInput forwarded = ForwardedInput.decode(bytes);
            PlayerInput input = forwarded.input();
            if (input != null) {
                world.apply(forwarded.login(), input);
            } else {
                world.leave(forwarded.login());
            }
        } catch (ArenaDecodeException fromAnotherVersion) {
            gateway.counters().countProblem(fromAnotherVersion.problem());
        }
    }

    // ---- time

    private void everySecond() {
        if (players.isEmpty() && entering.isEmpty()) {
            emptyTicks += World.TICKS_PER_SECOND;
            if (emptyTicks * 1000L >= gateway.properties().emptyTime().toMillis() * World.TICKS_PER_SECOND) {
                close();
                return;
            }
        }
        lead.renew();
        lead.save();
        for (Player player : players.values()) {
            if (player.renewal.isDue()) {
                gateway.renew(player);
            }
            if (player.idleTicks * 1000L > gateway.properties().idleTime().toMillis() * World.TICKS_PER_SECOND) {
                gateway.kick(player.session, KickReason.IDLE, "no input for long");
            }
            if (player.session.bytesBeforeWritable() > MAX_QUEUED_BYTES) {
                gateway.kick(player.session, KickReason.TOO_SLOW, "too much is waiting");
            }
        }
    }

    // ---- end

    /** Sends the players away and gives the world up, on any thread; done when both are. */
    CompletableFuture<?> drain() {
        CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
        executor.execute(() -> {
            List<CompletableFuture<?>> parts = new ArrayList<>();
            List<Player> leaving = new ArrayList<>(players.values());
            leaving.addAll(entering);
            for (Player player : leaving) {
                CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();
                player.session.closeFuture().addListener(closing -> gone.complete(null));
                parts.add(gone);
                gateway.kick(player.session, KickReason.DRAINING, "another gateway takes you");
            }
            parts.add(close());
            CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenRun(() -> drained.complete(null));
        });
        return drained;
    }

    private CompletableFuture<?> close() {
        if (closed) {
            return CompletableFuture.completedFuture(null);
        }
        closed = true;
        gateway.forget(this);
        ticking.cancel(false);
        subscriptions.forEach(Subscription::close);
        log.close();
        leading = false;
        return lead.giveUp();
    }
}
