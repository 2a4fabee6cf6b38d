package io.kcp.spring.handler;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Finds the encoder for a written object by the object's type. */
final class Replies {

    private final List<TypedCodec> codecs;
    private final @Nullable TypedCodec first;
    private final Map<Class<?>, Optional<Reply>> known = new ConcurrentHashMap<>();

    /**
     * Creates the encoders.
     *
     * @param first the codec that takes precedence, which is the one that decodes messages; null if there is none
     */
    Replies(List<TypedCodec> codecs, @Nullable TypedCodec first) {
        this.codecs = List.copyOf(codecs);
        this.first = first;
    }

    /** Returns the codecs that can encode a type. If the first codec can encode the type, the list contains only that codec. */
    List<TypedCodec> codecsOf(Class<?> type) {
        if (first != null && first.encodes(type)) {
            return List.of(first);
        }
        return codecs.stream().filter(codec -> codec.encodes(type)).toList();
    }

    /**
     * Finds the encoder for a written object.
     *
     * @return the encoder; null if there is none, or if several codecs encode the type
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
