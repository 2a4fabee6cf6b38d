package io.kcp.examples.cluster;

import io.kcp.examples.arena.room.ChatLog;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.examples.arena.world.World;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Room whose players are connected to several gateways. The leading gateway simulates the world and sends snapshots to the other
 * gateways, which send the inputs of their players to the leader. All gateways publish chat messages through the log in Redis. All
 * methods run on the thread of the room.
 */
final class SharedRoom extends Room {

    private static final Logger LOGGER = LoggerFactory.getLogger(SharedRoom.class);
    private static final int PAGE = 256;
    private static final byte SNAPSHOT = 's';
    private static final byte INPUT = 'i';

    private final ArenaRedis redis;
    private final Leadership leadership;
    private final int history;
    private Disposable events = Disposables.disposed();
    private @Nullable ChatLog log;
    private boolean opened;
    private boolean reading;
    private boolean readAgain;
    private boolean loading;
    private boolean closed;
    private long leadUntilNanos;
    private long newestSnapshot = -1;

    SharedRoom(String name, Rooms rooms, EventExecutor executor, ArenaRedis redis, Leadership leadership) {
        super(name, rooms, executor);
        this.redis = redis;
        this.leadership = leadership;
        history = rooms.properties().history();
    }

    @Override
    protected void open() {
        events = redis.events(name()).subscribe(event -> executor().execute(() -> onEvent(event)));
        redis.open(name()).whenCompleteAsync((head, failure) -> {
            if (failure != null) {
                openFailed(failure);
                return;
            }
            log = new ChatLog(history, new RoomPosition(head.log(), Math.max(0, head.entry() - history)));
            read();
        }, executor());
        renewLead();
    }

    // ---- messages

    @Override
    protected CompletionStage<@Nullable Void> publish(String login, long sequence, String text) {
        ChatLog present = log;
        RoomPosition head = present != null ? present.head() : RoomPosition.START;
        return redis.publish(name(), head, history, login, sequence, text);
    }

    /**
     * Reads new chat messages from the log. Called when an event announces new messages and, because events may be lost, also once per
     * second.
     */
    private void read() {
        ChatLog present = log;
        if (present == null || closed) {
            return;
        }
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        readAgain = false;
        redis.after(name(), present.head(), PAGE).whenCompleteAsync((page, failure) -> {
            reading = false;
            if (failure != null) {
                LOGGER.debug("Room {}: reading the log failed", name(), failure);
                if (!opened) {
                    openFailed(failure);
                }
                return;
            }
            page.forEach(present::add);
            if (readAgain || page.size() == PAGE) {
                read();
            } else if (!opened) {
                opened = true;
                opened(present);
            }
        }, executor());
    }

    private void onEvent(byte[] event) {
        if (closed || event.length == 0) {
            return;
        }
        ByteBuf in = Unpooled.wrappedBuffer(event, 1, event.length - 1);
        try {
            switch (event[0]) {
                case ArenaRedis.NEW_MESSAGES -> read();
                case SNAPSHOT -> onSnapshot(in);
                case INPUT -> onInput(in);
                default -> LOGGER.debug("Room {}: ignored an event of the unknown kind {}", name(), event[0]);
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException fromAnotherVersion) {
            LOGGER.debug("Room {}: ignored an event that cannot be decoded", name(), fromAnotherVersion);
        }
    }

    // ---- world

    @Override
    protected byte @Nullable [] simulate(Map<String, PlayerInput> inputs) {
        if (!leads()) {
            inputs.forEach((login, input) -> sendToLeader(login, new ClientMessage.Input(input)));
            return null;
        }
        byte[] snapshot = super.simulate(inputs);
        if (snapshot != null) {
            redis.send(name(), ByteBufUtil.getBytes(Unpooled.wrappedBuffer(new byte[] {SNAPSHOT}, snapshot)));
        }
        return snapshot;
    }

    @Override
    protected void leaveWorld(String login) {
        if (leads()) {
            super.leaveWorld(login);
        } else {
            sendToLeader(login, new ClientMessage.Leave());
        }
    }

    private void sendToLeader(String login, ClientMessage message) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(INPUT).writeByte(login.length());
        out.writeCharSequence(login, StandardCharsets.US_ASCII);
        ArenaCodec.encode(message, out);
        redis.send(name(), ByteBufUtil.getBytes(out));
    }

    private void onInput(ByteBuf in) {
        World world = leads() ? world() : null;
        if (world == null) {
            return;
        }
        String login = in.readCharSequence(in.readUnsignedByte(), StandardCharsets.US_ASCII).toString();
        ArenaMessage message = ArenaCodec.decode(in);
        if (message instanceof ClientMessage.Input input) {
            world.apply(login, input.input());
        } else if (message instanceof ClientMessage.Leave) {
            world.leave(login);
        }
    }

    private void onSnapshot(ByteBuf in) {
        long order = ArenaCodec.snapshotOrder(in);
        if (!leads() && order > newestSnapshot) {
            newestSnapshot = order;
            deliver(ByteBufUtil.getBytes(in));
        }
    }

    // ---- leadership

    /** Returns {@code true} if this gateway simulates the world. A gateway that was suspended for too long stops simulating. */
    private boolean leads() {
        if (world() != null && System.nanoTime() - leadUntilNanos >= 0) {
            LOGGER.warn("Room {}: this gateway stops simulating the world, because the lock was not renewed in time and another gateway "
                + "may have taken over", name());
            setWorld(null);
        }
        return world() != null;
    }

    @Override
    protected void everySecond() {
        super.everySecond();
        if (closed) {
            return;
        }
        read();
        renewLead();
        World world = world();
        if (world != null && leads()) {
            redis.saveWorld(name(), world.save());
        }
    }

    private void renewLead() {
        leadership.renew(name()).whenCompleteAsync((untilNanos, failure) -> {
            if (failure != null || closed) {
                LOGGER.debug("Room {}: the leadership was not renewed", name(), failure);
            } else if (untilNanos == null) {
                setWorld(null);
            } else {
                leadUntilNanos = untilNanos;
                if (world() == null && !loading) {
                    takeOver();
                }
            }
        }, executor());
    }

    private void takeOver() {
        loading = true;
        redis.loadWorld(name()).whenCompleteAsync((saved, failure) -> {
            loading = false;
            if (failure == null && !closed && System.nanoTime() - leadUntilNanos < 0) {
                World world = saved == null ? newWorld() : World.takeOver(saved);
                LOGGER.info("Room {}: this gateway became the leader of a world with {} fighters", name(), world.players());
                setWorld(world);
            }
        }, executor());
    }

    /** Saves the world if this gateway simulates it, and gives up the leadership. */
    @Override
    protected CompletionStage<?> onClose() {
        World world = leads() ? world() : null;
        closed = true;
        events.dispose();
        CompletionStage<?> saved = world == null ? CompletableFuture.completedFuture(null) : redis.saveWorld(name(), world.save());
        setWorld(null);
        return saved.handle((done, failure) -> leadership.release(name())).thenCompose(released -> released);
    }
}
