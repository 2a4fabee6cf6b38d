package io.kcp.examples.arena.web;

import java.util.List;

/**
 * How the gateway stands: one point in each chart.
 *
 * @param timeMs                   when, in milliseconds since 1970
 * @param gateway                  its name
 * @param sessions                 sessions that are open
 * @param players                  players that are in
 * @param rttP50Ms                 half of the sessions have a smaller smoothed round trip
 * @param rttP99Ms                 99 of a hundred have
 * @param rttMaxMs                 all have at most this
 * @param snapshotLossPercent      snapshots that did not reach their players, of a hundred
 * @param segmentLossPercent       segments that had to be sent again and not in vain, of a hundred
 * @param retransmissionsPerSecond segments sent again
 * @param recoveredPerSecond       datagrams that parity has brought back
 * @param messagesPerSecond        messages of players handed to players
 * @param saidPerSecond            messages of players that came
 * @param snapshotsPerSecond       snapshots sent
 * @param inputsPerSecond          inputs that came
 * @param bytesOutPerSecond        datagrams sent, without parity and cipher, and snapshots
 * @param bytesInPerSecond         datagrams received, the same
 * @param rooms                    the rooms, those with most players first
 * @param top                      the sessions with the longest round trips, with most loss, and with most retransmissions
 */
record LiveSample(long timeMs, String gateway, int sessions, int players, int rttP50Ms, int rttP99Ms, int rttMaxMs,
                  double snapshotLossPercent, double segmentLossPercent, double retransmissionsPerSecond, double recoveredPerSecond,
                  double messagesPerSecond, double saidPerSecond, double snapshotsPerSecond, double inputsPerSecond,
                  double bytesOutPerSecond, double bytesInPerSecond, List<RoomLine> rooms, List<SessionLine> top) {
}
