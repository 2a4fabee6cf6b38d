package io.kcp.examples.arena.cluster;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What Redis does in one step. The text goes with every call rather than its hash: a Redis that was restarted knows no hash, and
 * calls that fail for that and are made again would overtake each other.
 */
enum RedisScript {
    PUBLISH, OFFER, KEEP, CLAIM, ENTER, SAVE;

    private final String text;

    RedisScript() {
        String file = name().toLowerCase(Locale.ROOT) + ".lua";
        try (InputStream in = RedisScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is not beside " + RedisScript.class);
            }
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(file, broken);
        }
    }

    /** Runs it for its answer as bytes, null if there is none. */
    CompletionStage<byte @Nullable []> bytes(RedisScriptingAsyncCommands<String, byte[]> redis, String[] keys, byte[]... arguments) {
        return redis.eval(text, ScriptOutputType.VALUE, keys, arguments);
    }

    /** Runs it for its answer as text; it has one. */
    CompletionStage<String> text(RedisScriptingAsyncCommands<String, byte[]> redis, String[] keys, byte[]... arguments) {
        return redis.<byte[]>eval(text, ScriptOutputType.VALUE, keys, arguments).thenApply(LogFields::text);
    }
}
