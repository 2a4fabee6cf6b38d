package io.kcp.core.fec;

/**
 * What a decoder, or many of them together, did so far. Where kcp-go counts the same, its name stands in brackets.
 *
 * @param dataShards            data shards stored
 * @param parityShards          parity shards stored (FECParityShards)
 * @param fullGroups            groups whose data all arrived (FECFullShardSet)
 * @param recoveredShards       data shards computed and found sound (FECRecovered)
 * @param failedReconstructions attempts whose result was no datagram of the session: forged shards, or a wrong shape (FECErrs)
 * @param malformedShards       data shards that are no datagram of the session, and shards too long or too short
 * @param misplacedShards       data where the shape has parity, or parity where it has data
 * @param farShards             shards too far from the newest group, beyond paws, or of a group given up
 * @param duplicateShards       shards that were here already
 * @param lateShards            shards of groups that needed no more
 * @param shapeChanges          shapes adopted, the first detected one included
 * @param groupsHeld            groups of which shards are kept now (FECShardSet)
 */
public record FecStats(
    long dataShards,
    long parityShards,
    long fullGroups,
    long recoveredShards,
    long failedReconstructions,
    long malformedShards,
    long misplacedShards,
    long farShards,
    long duplicateShards,
    long lateShards,
    long shapeChanges,
    long groupsHeld) {

    /** Nothing happened yet. */
    public static final FecStats ZERO = new FecStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * Adds two counts up.
     *
     * @param other what another decoder did
     * @return the sum of both
     */
    public FecStats plus(FecStats other) {
        return new FecStats(dataShards + other.dataShards, parityShards + other.parityShards, fullGroups + other.fullGroups,
            recoveredShards + other.recoveredShards, failedReconstructions + other.failedReconstructions,
            malformedShards + other.malformedShards, misplacedShards + other.misplacedShards, farShards + other.farShards,
            duplicateShards + other.duplicateShards, lateShards + other.lateShards, shapeChanges + other.shapeChanges,
            groupsHeld + other.groupsHeld);
    }
}
