package io.kcp.spring.handler;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds what makes a message of an object, by its type. */
final class Replies {

    private final List<TypedCodec> codecs;
    private final @Nullable TypedCodec first;
    private final Map<Class<?>, Optional<Reply>> known = new ConcurrentHashMap<>();

    /**
     * Creates them.
     *
     * @param first the codec that is asked before all others: that which reads
     */
    Replies(List<TypedCodec> codecs, @Nullable TypedCodec first) {
        this.codecs = List.copyOf(codecs);
        this.first = first;
    }

    /** Returns the codecs that write a type; one only, if the first does. */
    List<TypedCodec> codecsOf(Class<?> type) {
        if (first != null && first.writes(type)) {
            return List.of(first);
        }
        return codecs.stream().filter(codec -> codec.writes(type)).toList();
    }

    /**
     * Finds what makes a message of an object.
     *
     * @return null if nothing does, or more than one codec could
     */
    @Nullable Reply find(Object message) {
        Class<?> type = message.getClass();
        Optional<Reply> reply = known.get(type);
        if (reply == null) {
            List<TypedCodec> writing = codecsOf(type);
            Reply plain = Reply.of(type);
            reply = Optional.ofNullable(plain != null || writing.size() != 1 ? plain : Reply.of(writing.get(0)));
            known.put(type, reply);
        }
        return reply.orElse(null);
    }
}
