package io.kcp.netty.internal.session;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the session with a given {@code conv} among the sessions of all sockets of a server. The index is used only for datagrams from
 * unknown addresses. If several sessions have the same {@code conv}, the index finds a session only if exactly one of them has a validated
 * peer. Otherwise, the index cannot determine to which session a datagram belongs.
 *
 * <p>This class is thread-safe. The keys are comparable, so peers that choose colliding ids cannot slow down a lookup.
 *
 * @param <S> the type of the sessions
 */
public final class ConversationIndex<S extends AbstractSession> {

    /** A linked list of sessions. The list is accessed only while the map locks its entry. */
    private static final class Chain {
        private @Nullable AbstractSession first;
        private int sessions;

        void add(AbstractSession session) {
            AbstractSession next = first;
            session.nextOfConv = next;
            if (next != null) {
                next.previousOfConv = session;
            }
            first = session;
            sessions++;
        }

        void remove(AbstractSession session) {
            AbstractSession previous = session.previousOfConv;
            AbstractSession next = session.nextOfConv;
            if (previous == null) {
                first = next;
            } else {
                previous.nextOfConv = next;
            }
            if (next != null) {
                next.previousOfConv = previous;
            }
            session.previousOfConv = null;
            session.nextOfConv = null;
            sessions--;
        }
    }

    /** The sessions with one {@code conv}. */
    private static final class Conversation<S extends AbstractSession> {
        private final Chain validated = new Chain();
        private final Chain unvalidated = new Chain();
        private volatile @Nullable S only;

        @SuppressWarnings("unchecked")
        void update() {
            Chain chain = validated.sessions > 0 ? validated : unvalidated;
            only = chain.sessions == 1 ? (S) chain.first : null;
        }

        Chain chainOf(AbstractSession session) {
            return session.validated ? validated : unvalidated;
        }

        boolean isEmpty() {
            return validated.sessions + unvalidated.sessions == 0;
        }
    }

    private final ConcurrentHashMap<Integer, Conversation<S>> conversations = new ConcurrentHashMap<>();

    /** Creates an empty index. */
    public ConversationIndex() {
    }

    /** Returns the session to which datagrams with this {@code conv} from unknown addresses may belong, or null if there is none. */
    public @Nullable S find(int conv) {
        Conversation<S> conversation = conversations.get(conv);
        return conversation == null ? null : conversation.only;
    }

    /** Returns the number of different conversation ids. */
    public int size() {
        return conversations.size();
    }

    /** Adds a session that is not in the index yet. */
    public void add(S session) {
        conversations.compute(session.conv(), (conv, present) -> {
            Conversation<S> conversation = present == null ? new Conversation<>() : present;
            conversation.chainOf(session).add(session);
            session.indexed = true;
            conversation.update();
            return conversation;
        });
    }

    /** Records that the peer of a session has been validated. Does nothing after the first call. */
    public void onValidated(S session) {
        if (session.validated) {
            return;
        }
        conversations.computeIfPresent(session.conv(), (conv, conversation) -> {
            if (session.indexed) {
                conversation.unvalidated.remove(session);
                session.validated = true;
                conversation.validated.add(session);
                conversation.update();
            }
            return conversation;
        });
    }

    /** Removes a session from the index, if it is present. */
    public void remove(S session) {
        conversations.computeIfPresent(session.conv(), (conv, conversation) -> {
            if (session.indexed) {
                session.indexed = false;
                conversation.chainOf(session).remove(session);
                conversation.update();
            }
            return conversation.isEmpty() ? null : conversation;
        });
    }
}
