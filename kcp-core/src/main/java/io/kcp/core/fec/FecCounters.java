package io.kcp.core.fec;

/** The mutable counters of one decoder, of which {@link FecStats} is a snapshot. */
final class FecCounters {

    long dataShards;
    long parityShards;
    long fullGroups;
    long recoveredShards;
    long failedReconstructions;
    long malformedShards;
    long misplacedShards;
    long farShards;
    long duplicateShards;
    long lateShards;
    long shapeChanges;

    FecStats snapshot(int groupsHeld) {
        return new FecStats(dataShards, parityShards, fullGroups, recoveredShards, failedReconstructions, malformedShards,
            misplacedShards, farShards, duplicateShards, lateShards, shapeChanges, groupsHeld);
    }
}
