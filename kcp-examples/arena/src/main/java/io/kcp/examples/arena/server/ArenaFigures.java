package io.kcp.examples.arena.server;

import io.kcp.examples.arena.wire.DecodeProblem;
import io.kcp.examples.arena.wire.KickReason;
import java.util.Map;

/**
 * What a gateway did so far.
 *
 * @param rooms             rooms that are open now
 * @param players           players that are in now
 * @param joined            players that came in, the ones that came back included
 * @param resumed           players that came back
 * @param inputs            inputs of players
 * @param said              messages of players of this gateway that are in the log of their room
 * @param heard             messages handed to players of this gateway
 * @param snapshotsSent     snapshots handed to players
 * @param snapshotsSkipped  snapshots that a player did not get because what was sent before had not left
 * @param outOfBandBytesOut bytes of the snapshots sent out of band, which KCP does not count
 * @param outOfBandBytesIn  bytes of the inputs that came out of band
 * @param decodeProblems    messages that were none, by problem; what never occurred is absent
 * @param kicked            sessions closed by this gateway, by reason; what never occurred is absent
 */
public record ArenaFigures(int rooms, int players, long joined, long resumed, long inputs, long said, long heard, long snapshotsSent,
                           long snapshotsSkipped, long outOfBandBytesOut, long outOfBandBytesIn,
                           Map<DecodeProblem, Long> decodeProblems, Map<KickReason, Long> kicked) {
}
