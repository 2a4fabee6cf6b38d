package io.kcp.examples.arena.bots;

import org.jspecify.annotations.Nullable;

/**
 * How a bot stands. The ledger is to be read on its event loop, or when nothing comes any more.
 *
 * @param name           its name
 * @param login          its login, empty before it was in
 * @param room           its room
 * @param in             whether it is in now
 * @param acknowledged   its own messages that are in the log for good
 * @param unacknowledged those that it does not know of
 * @param lastHeardNanos when it heard something last
 * @param ledger         what it heard, null before it was in
 * @param failure        what went wrong, null if nothing did
 */
record BotState(String name, String login, String room, boolean in, long acknowledged, int unacknowledged, long lastHeardNanos,
                @Nullable HeardLedger ledger, @Nullable String failure) {
}
