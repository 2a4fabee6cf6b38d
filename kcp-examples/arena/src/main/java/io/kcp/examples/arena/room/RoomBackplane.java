package io.kcp.examples.arena.room;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What gateways share. All methods may be called from any thread and do not wait; stages complete, and listeners run, on
 * threads of the backplane, which they must not hold up. What a listener throws is logged and harms nobody else. Calls for one
 * room that one thread makes one after the other take effect in this order. A stage fails if the shared memory is out of reach:
 * then it is not known whether it took effect, and the same call may be made again.
 */
public interface RoomBackplane extends AutoCloseable {

    /**
     * Appends a message to the room's log, once, however often it is asked with the same user and sequence number.
     *
     * @param room     the room
     * @param user     who says it: a login, not a name, so that numbers begin with 1 again after a new login
     * @param sequence which message of this user in this room it is: 1, 2, 3 and so on
     * @param message  what is said; not to be changed afterwards
     * @return where it stands, also if it stood there before; fails with an {@link IllegalArgumentException} if the sequence number
     *         is neither the next one nor one that was taken
     */
    CompletionStage<RoomPosition> publish(String room, String user, long sequence, byte[] message);

    /**
     * Hands over everything after a position, in order, without gaps and repeats, then what comes.
     *
     * @param room     the room
     * @param after    {@link RoomPosition#START} for everything
     * @param listener what it is handed to; one entry at a time
     * @return the subscription
     */
    Subscription subscribe(String room, RoomPosition after, Consumer<RoomEntry> listener);

    /**
     * Reads a page of the log.
     *
     * @param room     the room
     * @param position {@link RoomPosition#START} for the first page
     * @param count    how many entries at most
     * @return the entries after the position that are there now, oldest first; empty if there are none
     */
    CompletionStage<List<RoomEntry>> after(String room, RoomPosition position, int count);

    /**
     * Tells where the log ends now.
     *
     * @param room the room
     * @return the position of the last entry, {@link RoomPosition#START} if there is none
     */
    CompletionStage<RoomPosition> head(String room);

    /**
     * Tries to be, or to remain, the gateway that simulates the room's world.
     *
     * @param room       the room
     * @param gateway    who tries
     * @param timeToLive for how long; zero gives the lead up
     * @return whether this gateway leads now
     */
    CompletionStage<Boolean> lead(String room, String gateway, Duration timeToLive);

    /**
     * Sends an input to whoever leads. It may be lost.
     *
     * @param room  the room
     * @param input the input; not to be changed afterwards
     */
    void sendInput(String room, byte[] input);

    /**
     * Listens to inputs.
     *
     * @param room     the room
     * @param listener what they are handed to
     * @return the subscription
     */
    Subscription inputs(String room, Consumer<byte[]> listener);

    /**
     * Tells everybody how the world looks. It may be lost; the newest counts.
     *
     * @param room     the room
     * @param snapshot the snapshot; not to be changed afterwards
     */
    void publishSnapshot(String room, byte[] snapshot);

    /**
     * Listens to snapshots.
     *
     * @param room     the room
     * @param listener what they are handed to
     * @return the subscription
     */
    Subscription snapshots(String room, Consumer<byte[]> listener);

    /**
     * Keeps the state of a world, for the next one that leads.
     *
     * @param room  the room
     * @param world the state; not to be changed afterwards
     * @return when it is kept
     */
    CompletionStage<@Nullable Void> saveWorld(String room, byte[] world);

    /**
     * Returns the state of a world.
     *
     * @param room the room
     * @return what was kept last, null if there is nothing
     */
    CompletionStage<byte @Nullable []> loadWorld(String room);

    /**
     * Says at which gateway a user is, for a time to live, or says so again; unless it came in elsewhere by a later attempt, or
     * elsewhere by the same one before. So what was late takes nobody away from where it is.
     *
     * @param user       the user: a login, not a name, as attempts begin again after a new login
     * @param gateway    where
     * @param attempt    by which of its attempts to come in; rises, and goes round after {@link Integer#MAX_VALUE}
     * @param timeToLive for how long; zero forgets it if it was this gateway and attempt
     * @return the gateway that the user is at now: this one, or another; null if it is at none
     */
    CompletionStage<@Nullable String> claim(String user, String gateway, int attempt, Duration timeToLive);

    /**
     * Binds a name to a token, or renews it, unless the name is bound to another token. In one step, so that of two who ask for one
     * name one gets it.
     *
     * @param user       the user's name
     * @param token      16 bytes; not to be changed afterwards
     * @param timeToLive for how long; zero sets the name free
     * @return to whom the name was bound before
     */
    CompletionStage<NameHolder> bind(String user, byte[] token, Duration timeToLive);

    /**
     * Renews the binding of a name to a token if there is one. A name that is free stays so.
     *
     * @param user       the user's name
     * @param token      16 bytes; not to be changed afterwards
     * @param timeToLive for how long
     * @return to whom the name is bound
     */
    CompletionStage<NameHolder> keep(String user, byte[] token, Duration timeToLive);

    /**
     * Remembers for a time to live that a user is in a room, or that it still is.
     *
     * @param room       the room
     * @param user       the user: a login, not a name
     * @param after      what it hears comes after this; does not count if it was in already
     * @param timeToLive for how long; zero forgets it
     * @return after which position it began to hear
     */
    CompletionStage<RoomPosition> enter(String room, String user, RoomPosition after, Duration timeToLive);

    /**
     * Tells whether a user is in a room, or was until a while ago.
     *
     * @param room the room
     * @param user the user: a login, not a name
     * @return after which position it began to hear, null if it was not in
     */
    CompletionStage<@Nullable RoomPosition> entered(String room, String user);

    /** Ends it, and all subscriptions. Stages that are not complete fail. */
    @Override
    void close();
}
