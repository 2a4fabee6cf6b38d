package io.kcp.core.fec;

/**
 * Statistics of one FEC decoder, or the sum of the statistics of several decoders. A name in parentheses is that of the corresponding
 * counter in kcp-go.
 *
 * @param dataShards            data shards stored
 * @param parityShards          parity shards stored (FECParityShards)
 * @param fullGroups            groups whose data arrived completely (FECFullShardSet)
 * @param recoveredShards       data shards recovered (FECRecovered)
 * @param failedReconstructions attempts with an invalid result, because of forged shards or a wrong shape (FECErrs)
 * @param malformedShards       data shards that are not valid datagrams of the session, and shards that are too long or too short
 * @param misplacedShards       data at the position of parity, or parity at the position of data
 * @param farShards             shards that are too far from the newest group, have a seqid beyond the wrap, or belong to a discarded group
 * @param duplicateShards       shards that were already stored
 * @param lateShards            shards of groups that needed no more shards
 * @param shapeChanges          adopted shapes, including the first one detected
 * @param groupsHeld            groups that currently contain shards (FECShardSet)
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

    /** Statistics with every counter at 0. */
    public static final FecStats ZERO = new FecStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * Returns the sum of these statistics and those of another decoder.
     *
     * @param other the statistics to add
     * @return the sum
     */
    public FecStats plus(FecStats other) {
        return new FecStats(dataShards + other.dataShards, parityShards + other.parityShards, fullGroups + other.fullGroups,
            recoveredShards + other.recoveredShards, failedReconstructions + other.failedReconstructions,
            malformedShards + other.malformedShards, misplacedShards + other.misplacedShards, farShards + other.farShards,
            duplicateShards + other.duplicateShards, lateShards + other.lateShards, shapeChanges + other.shapeChanges,
            groupsHeld + other.groupsHeld);
    }
}
