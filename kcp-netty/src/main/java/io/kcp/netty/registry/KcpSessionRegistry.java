package io.kcp.netty.registry;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.ChannelMatcher;
import io.netty.channel.group.ChannelMatchers;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sessions of a server by user, and broadcasts messages to groups of sessions, such as rooms. A session that closes is removed
 * from the registry automatically.
 *
 * <pre>{@code
 * registry.add(session);                      // in initChannel
 * KcpChannel before = registry.bind(userId, session);
 * if (before != null) {
 *     registry.kick(before, "logged in elsewhere", null);
 * }
 * registry.join(room, session);
 * registry.broadcast(room, snapshot);
 * }</pre>
 *
 * <p>All methods may be called from any thread. Concurrent calls for one session take effect one after the other, in any order.
 *
 * @param <U> the type of user ids, which must implement {@code equals} and {@code hashCode}
 * @param <G> the type of group ids, which must implement {@code equals} and {@code hashCode}
 */
public final class KcpSessionRegistry<U, G> {

    private static final AttributeKey<String> KICK_REASON = AttributeKey.valueOf(KcpSessionRegistry.class, "KICK_REASON");
    /** Stores the last user of a removed session, separately for each registry. Handlers query it in {@code channelInactive}. */
    private static final AttributeKey<ConcurrentMap<KcpSessionRegistry<?, ?>, Object>> LAST_USERS =
        AttributeKey.valueOf(KcpSessionRegistry.class, "LAST_USERS");

    /** The user and the groups of a session. All fields are guarded by the monitor of this entry. */
    private final class Entry {
        private final Set<G> groups = new HashSet<>();
        private @Nullable U user;
        private boolean gone;
    }

    private final EventExecutor executor = GlobalEventExecutor.INSTANCE;
    private final ConcurrentMap<KcpChannel, Entry> entries = new ConcurrentHashMap<>();
    private final ConcurrentMap<U, KcpChannel> users = new ConcurrentHashMap<>();
    private final ConcurrentMap<G, ChannelGroup> groups = new ConcurrentHashMap<>();
    private final ChannelGroup all = new DefaultChannelGroup("kcp", executor);
    private final ChannelGroup none = new DefaultChannelGroup("no such kcp group", executor);

    /** Creates an empty registry. */
    public KcpSessionRegistry() {
    }

    /**
     * Adds a session, which stays in the registry until it closes or is kicked.
     *
     * @param session the session; ignored if it is already in the registry, is closed, or was kicked
     */
    public void add(KcpChannel session) {
        Objects.requireNonNull(session, "session");
        if (!session.isOpen() || kickReason(session) != null) {
            return;
        }
        Entry entry = new Entry();
        synchronized (entry) {
            if (entries.putIfAbsent(session, entry) != null) {
                return;
            }
            all.add(session);
        }
        session.closeFuture().addListener(closed -> remove(session));
    }

    /**
     * Binds a session to a user. A session that was bound to this user before is no longer bound, but stays open. A session that has
     * closed or was kicked is ignored.
     *
     * @param user    the user
     * @param session a session that was added
     * @return the session that was bound to the user before, null if there was none or it was this session
     * @throws IllegalArgumentException if the session is open but was not added
     */
    public @Nullable KcpChannel bind(U user, KcpChannel session) {
        Objects.requireNonNull(user, "user");
        Entry entry = entry(session);
        if (entry == null) {
            return null;
        }
        synchronized (entry) {
            if (entry.gone) {
                return null;
            }
            U userBefore = entry.user;
            if (userBefore != null && !userBefore.equals(user)) {
                users.remove(userBefore, session);
            }
            entry.user = user;
            KcpChannel sessionBefore = users.put(user, session);
            return sessionBefore == session ? null : sessionBefore;
        }
    }

    /**
     * Returns the session of a user.
     *
     * @param user the user
     * @return the session that was bound last, null if there is none
     */
    public @Nullable KcpChannel find(U user) {
        return users.get(user);
    }

    /**
     * Returns the user of a session. For a session that has closed or was kicked, returns its last user.
     *
     * @param session any session
     * @return the user, null if the session was bound to no user or another session of the user has replaced it
     */
    public @Nullable U userOf(KcpChannel session) {
        Entry entry = entries.get(session);
        if (entry == null) {
            return lastUserOf(session);
        }
        synchronized (entry) {
            U user = entry.user;
            return entry.gone ? lastUserOf(session) : user != null && users.get(user) == session ? user : null;
        }
    }

    /**
     * Adds a session to a group. The group is created when its first session joins.
     *
     * @param group   the group
     * @param session a session that was added
     * @return {@code true} if the session has joined; {@code false} if it was already in the group, has closed, or was kicked
     * @throws IllegalArgumentException if the session is open but was not added
     */
    public boolean join(G group, KcpChannel session) {
        Objects.requireNonNull(group, "group");
        Entry entry = entry(session);
        if (entry == null) {
            return false;
        }
        synchronized (entry) {
            if (entry.gone || !entry.groups.add(group)) {
                return false;
            }
            groups.compute(group, (name, present) -> {
                ChannelGroup members = present != null ? present : new DefaultChannelGroup("kcp group", executor);
                members.add(session);
                return members;
            });
            return true;
        }
    }

    /**
     * Removes a session from a group. The group is removed when its last session leaves.
     *
     * @param group   the group
     * @param session any session
     * @return {@code true} if the session was in the group
     */
    public boolean leave(G group, KcpChannel session) {
        Entry entry = entries.get(session);
        if (entry == null) {
            return false;
        }
        synchronized (entry) {
            if (!entry.groups.remove(group)) {
                return false;
            }
            removeFrom(group, session);
            return true;
        }
    }

    /**
     * Returns the sessions of a group.
     *
     * @param group the group
     * @return a copy of the current members; empty if there is no such group
     */
    public Set<KcpChannel> members(G group) {
        ChannelGroup members = groups.get(group);
        Set<KcpChannel> copy = new HashSet<>();
        if (members != null) {
            members.forEach(member -> copy.add((KcpChannel) member));
        }
        return copy;
    }

    /**
     * Returns all groups that contain at least one session.
     *
     * @return a copy of the current groups
     */
    public Set<G> groups() {
        return Set.copyOf(groups.keySet());
    }

    /**
     * Returns the number of sessions in the registry.
     *
     * @return the number of sessions
     */
    public int size() {
        return entries.size();
    }

    /**
     * Writes a message to all sessions and flushes them. A buffer or buffer holder is shared by the sessions, not copied, until it reaches
     * an encoder of a pipeline. A message of another type is the same object for all sessions and needs an encoder.
     *
     * @param message the message, <b>taken</b>
     * @return a future for all writes
     */
    public ChannelGroupFuture broadcastAll(Object message) {
        return broadcastAll(message, ChannelMatchers.all());
    }

    /**
     * Writes a message to the sessions that a matcher selects, and flushes them. See also
     * {@link #broadcast(Object, Object, ChannelMatcher)}.
     *
     * @param message the message, <b>taken</b>, even if {@code to} throws
     * @param to      selects the sessions; called on the calling thread
     * @return a future for all writes
     */
    public ChannelGroupFuture broadcastAll(Object message, ChannelMatcher to) {
        return write(() -> all, message, to);
    }

    /**
     * Writes a message to all sessions of a group and flushes them. See {@link #broadcastAll(Object)}.
     *
     * @param group   the group; if there is no such group, nothing is written
     * @param message the message, <b>taken</b>
     * @return a future for all writes
     */
    public ChannelGroupFuture broadcast(G group, Object message) {
        return broadcast(group, message, ChannelMatchers.all());
    }

    /**
     * Writes a message to the sessions of a group that a matcher selects, and flushes them. The matcher {@code Channel::isWritable} skips
     * slow sessions, which is useful for updates that the next update replaces. The matcher {@code ChannelMatchers.isNot(session)} skips
     * the sender of the message.
     *
     * @param group   the group; if there is no such group, nothing is written
     * @param message the message, <b>taken</b>, even if {@code to} throws
     * @param to      selects the sessions; called on the calling thread. If the matcher throws an exception, this method throws it, too,
     *                and the sessions for which the matcher was not called yet do not receive the message.
     * @return a future for all writes
     */
    public ChannelGroupFuture broadcast(G group, Object message, ChannelMatcher to) {
        return write(() -> groups.getOrDefault(group, none), message, to);
    }

    private static ChannelGroupFuture write(Supplier<ChannelGroup> group, Object message, ChannelMatcher to) {
        boolean taken = false;
        try {
            ChannelGroupFuture written = group.get().writeAndFlush(message, to);
            taken = true;
            return written;
        } finally {
            // Netty's channel group does not release the message if the matcher throws an exception, so the message is released here.
            if (!taken) {
                ReferenceCountUtil.release(message);
            }
        }
    }

    /**
     * Closes a session on behalf of the server. The session is removed from the registry immediately. Then a {@link KcpKickEvent} is fired
     * through its pipeline, the farewell message is written, and the session is closed with {@link KcpChannel#close()}, which waits for
     * acknowledgements. A close notice does not contain {@code reason}, and other KCP implementations receive no notice, so the farewell
     * must contain everything the client needs to know.
     *
     * @param session  any session
     * @param reason   the reason, for logs and {@link #kickReason}; if a session is kicked twice, the first reason is stored
     * @param farewell the last message, <b>taken</b>; null for none
     * @return the future of the close
     */
    public ChannelFuture kick(KcpChannel session, String reason, @Nullable Object farewell) {
        if (session.isOpen() && session.attr(KICK_REASON).setIfAbsent(Objects.requireNonNull(reason, "reason")) == null) {
            remove(session);
            session.pipeline().fireUserEventTriggered(new KcpKickEvent(reason));
        }
        if (farewell != null) {
            session.writeAndFlush(farewell);
        }
        return session.close();
    }

    /**
     * Returns the reason why a session was kicked.
     *
     * @param session any session
     * @return the reason, null if the session was not kicked
     */
    public static @Nullable String kickReason(KcpChannel session) {
        return session.attr(KICK_REASON).get();
    }

    private @Nullable Entry entry(KcpChannel session) {
        Entry entry = entries.get(session);
        if (entry == null && session.isOpen() && kickReason(session) == null) {
            throw new IllegalArgumentException("session: " + session + " (expected: a session that was added to this registry)");
        }
        return entry;
    }

    @SuppressWarnings("unchecked")
    private @Nullable U lastUserOf(KcpChannel session) {
        ConcurrentMap<KcpSessionRegistry<?, ?>, Object> users = session.attr(LAST_USERS).get();
        return users == null ? null : (U) users.get(this);
    }

    private void setLastUser(KcpChannel session, U user) {
        ConcurrentMap<KcpSessionRegistry<?, ?>, Object> fresh = new ConcurrentHashMap<>(2);
        ConcurrentMap<KcpSessionRegistry<?, ?>, Object> present = session.attr(LAST_USERS).setIfAbsent(fresh);
        (present != null ? present : fresh).put(this, user);
    }

    /** Removes a session from the registry, unless it has already been removed. */
    private void remove(KcpChannel session) {
        Entry entry = entries.get(session);
        if (entry == null) {
            return;
        }
        synchronized (entry) {
            if (entry.gone) {
                return;
            }
            entry.gone = true;
            all.remove(session);
            U user = entry.user;
            if (user != null && users.remove(user, session)) {
                setLastUser(session, user);
            }
            entry.groups.forEach(group -> removeFrom(group, session));
            entry.groups.clear();
        }
        // Removes the entry only after setLastUser() has stored the user, so that concurrent calls of userOf() always find the entry or the
        // stored user.
        entries.remove(session, entry);
    }

    private void removeFrom(G group, KcpChannel session) {
        groups.computeIfPresent(group, (name, members) -> {
            members.remove(session);
            return members.isEmpty() ? null : members;
        });
    }
}
