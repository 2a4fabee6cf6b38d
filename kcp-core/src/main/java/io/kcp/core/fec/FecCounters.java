package io.kcp.core.fec;

/** The running counts of one decoder; {@link FecStats} says what each means. */
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
