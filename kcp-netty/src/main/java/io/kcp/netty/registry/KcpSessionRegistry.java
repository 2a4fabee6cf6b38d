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
 * The sessions of a server, by the user that each belongs to and by groups such as rooms. A session that closes leaves
 * everything by itself.
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
 * <p>All methods may be called from any thread. What several threads do with one session at the same moment happens in one
 * order or the other.
 *
 * @param <U> what identifies a user; with {@code equals} and {@code hashCode}
 * @param <G> what identifies a group; the same
 */
public final class KcpSessionRegistry<U, G> {

    private static final AttributeKey<String> KICK_REASON = AttributeKey.valueOf(KcpSessionRegistry.class, "KICK_REASON");
    /** Whose a session was that is gone, by registry: its handlers ask for that when they are told that it is inactive. */
    private static final AttributeKey<ConcurrentMap<KcpSessionRegistry<?, ?>, Object>> LAST_USERS =
        AttributeKey.valueOf(KcpSessionRegistry.class, "LAST_USERS");

    /** What a session is bound to; guarded by itself. */
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
     * Adds a session until it closes.
     *
     * @param session a session; nothing happens if it is here already, is closed, or was kicked
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
     * Says whose session it is.
     *
     * @param user    the user; a session that was bound to this user before is not any more, but stays open
     * @param session a session that was added
     * @return the session that was bound to the user before, null if there was none or it was this one
     * @throws IllegalArgumentException if the session was not added; one that has closed meanwhile, or was kicked, is let pass
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
     * Finds a user's session.
     *
     * @param user the user
     * @return the session that was bound last, null if there is none
     */
    public @Nullable KcpChannel find(U user) {
        return users.get(user);
    }

    /**
     * Tells whose session it is; of one that has closed or was kicked, whose it was.
     *
     * @param session any session
     * @return the user, null if it was bound to none, or another session of the user had taken its place
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
     * Puts a session into a group, which begins to exist with its first one.
     *
     * @param group   the group
     * @param session a session that was added
     * @return whether it was not in it; false too if it has closed meanwhile, or was kicked
     * @throws IllegalArgumentException if the session was not added
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
     * Takes a session out of a group, which ends with its last one.
     *
     * @param group   the group
     * @param session any session
     * @return whether it was in it
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
     * @return those of this moment, a copy; empty if there is no such group
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
     * Returns the groups that exist.
     *
     * @return those of this moment
     */
    public Set<G> groups() {
        return Set.copyOf(groups.keySet());
    }

    /**
     * Returns how many sessions there are.
     *
     * @return sessions
     */
    public int size() {
        return entries.size();
    }

    /**
     * Writes to all sessions and flushes. Buffers and their holders are shared between the sessions, not copied, up to the encoders of each
     * pipeline; another message is the same object for all of them, and needs an encoder.
     *
     * @param message what to write, <b>taken</b>
     * @return a future of all writes
     */
    public ChannelGroupFuture broadcastAll(Object message) {
        return broadcastAll(message, ChannelMatchers.all());
    }

    /**
     * Writes to some of all sessions and flushes; see {@link #broadcast(Object, Object, ChannelMatcher)}.
     *
     * @param message what to write, <b>taken</b>, if {@code to} throws too
     * @param to      which sessions; called on this thread
     * @return a future of all writes
     */
    public ChannelGroupFuture broadcastAll(Object message, ChannelMatcher to) {
        return write(() -> all, message, to);
    }

    /**
     * Writes to the sessions of a group and flushes, as {@link #broadcastAll(Object)} does to all.
     *
     * @param group   the group; if there is no such group, nothing is written
     * @param message what to write, <b>taken</b>
     * @return a future of all writes
     */
    public ChannelGroupFuture broadcast(G group, Object message) {
        return broadcast(group, message, ChannelMatchers.all());
    }

    /**
     * Writes to some of the sessions of a group and flushes: {@code Channel::isWritable} leaves out those that lag behind, which
     * a state that is soon followed by the next would only burden; {@code ChannelMatchers.isNot(session)} the one it came from.
     *
     * @param group   the group; if there is no such group, nothing is written
     * @param message what to write, <b>taken</b>, if {@code to} throws too
     * @param to      which sessions; called on this thread. If it throws, so does this, and the sessions it was not asked for yet
     *                get nothing.
     * @return a future of all writes
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
            // A group forgets the message when the matcher throws.
            if (!taken) {
                ReferenceCountUtil.release(message);
            }
        }
    }

    /**
     * Closes a session because the server wants so. It leaves the registry at once. Its pipeline sees a {@link KcpKickEvent}
     * first, then the farewell is written, then it closes as {@link KcpChannel#close()} does, waiting for acknowledgements. KCP
     * has no message for this: what the client shall know must be in the farewell.
     *
     * @param session  any session
     * @param reason   for logs, and for {@link #kickReason}; of a session that is kicked twice, the first counts
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
     * Tells why a session was kicked.
     *
     * @param session any session
     * @return the reason, null if it was not
     */
    public static @Nullable String kickReason(KcpChannel session) {
        return session.attr(KICK_REASON).get();
    }

    private @Nullable Entry entry(KcpChannel session) {
        Entry entry = entries.get(session);
        if (entry == null && session.isOpen() && kickReason(session) == null) {
            throw new IllegalArgumentException("session: " + session + " (expected: one that was added)");
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

    /** To be called again does no harm. */
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
        // Last: until then whoever asks sees what is above.
        entries.remove(session, entry);
    }

    private void removeFrom(G group, KcpChannel session) {
        groups.computeIfPresent(group, (name, members) -> {
            members.remove(session);
            return members.isEmpty() ? null : members;
        });
    }
}
