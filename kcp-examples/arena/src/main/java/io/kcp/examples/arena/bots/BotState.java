package io.kcp.examples.arena.bots;

import org.jspecify.annotations.Nullable;

/**
 * How a bot stood at one moment.
 *
 * @param name           its name
 * @param login          its login, empty before it was in
 * @param room           its room
 * @param gateway        where it is in, null if it is not
 * @param acknowledged   its own messages that are in the log for good
 * @param unacknowledged those that it does not know of
 * @param heard          what it heard, null before it was in
 * @param failure        what went wrong, null if nothing did
 */
record BotState(String name, String login, String room, @Nullable String gateway, long acknowledged, int unacknowledged,
                HeardLedger.@Nullable Heard heard, @Nullable String failure) {

    boolean in() {
        return gateway != null;
    }
}
