package io.kcp.examples.arena.web;

import java.util.List;

/**
 * State of the gateway at one moment, which is one point in each chart. Rates refer to the time since the previous sample.
 *
 * @param timeMs                   time in milliseconds since 1970
 * @param gateway                  name of the gateway
 * @param sessions                 open sessions
 * @param players                  players in rooms
 * @param rooms                    open rooms
 * @param rttP50Ms                 median of the smoothed round-trip times of the sessions
 * @param rttP99Ms                 99th percentile of the smoothed round-trip times of the sessions
 * @param snapshotLossPercent      snapshots that did not reach their player
 * @param segmentLossPercent       segments retransmitted, without the spurious retransmissions
 * @param retransmissionsPerSecond retransmitted segments
 * @param recoveredPerSecond       datagrams from players recovered by FEC
 * @param messagesPerSecond        messages sent to players
 * @param saidPerSecond            messages received from players
 * @param snapshotsPerSecond       snapshots sent
 * @param bytesOutPerSecond        bytes of KCP datagrams and snapshots sent, without FEC and cipher overhead
 * @param bytesInPerSecond         bytes of KCP datagrams and inputs received, without FEC and cipher overhead
 * @param top                      the sessions with the longest round trips, the highest loss and the most retransmissions
 */
record LiveSample(long timeMs, String gateway, long sessions, int players, int rooms, int rttP50Ms, int rttP99Ms,
                  double snapshotLossPercent, double segmentLossPercent, double retransmissionsPerSecond, double recoveredPerSecond,
                  double messagesPerSecond, double saidPerSecond, double snapshotsPerSecond, double bytesOutPerSecond,
                  double bytesInPerSecond, List<Session> top) {

    /**
     * Statistics of one session, which are one row of the session table.
     *
     * @param player          name of the player
     * @param room            its room
     * @param rttMs           smoothed round-trip time
     * @param retransmissions retransmitted segments since the session opened
     * @param lossPercent     lost snapshots since the previous sample
     * @param bytesPerSecond  bytes in both directions
     * @param waiting         segments queued or in flight
     * @param ageSeconds      age of the session
     */
    record Session(String player, String room, int rttMs, long retransmissions, double lossPercent, long bytesPerSecond, int waiting,
                   long ageSeconds) {
    }
}
