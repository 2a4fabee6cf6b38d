package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import java.util.List;
import java.util.Map;

/**
 * How a fleet fared. Without problems every message that was acknowledged was heard once, in order, by everybody in its room.
 *
 * @param bots               how many there are
 * @param in                 how many are in now
 * @param gateways           how many are in at each gateway
 * @param joins              how often one came in, coming back included
 * @param seconds            since the fleet began
 * @param snapshots          snapshots that came
 * @param snapshotsPerSecond of one bot
 * @param snapshotsMissed    snapshots that did not come, or after a newer one
 * @param rttMs              from a ping to its answer, both through all of KCP and the bot's and the gateway's handlers
 * @param said               messages said
 * @param acknowledged       messages that are in the log of their room
 * @param ackMs              from saying a message to its acknowledgement, outages included
 * @param heard              messages heard, by all bots together
 * @param missing            messages that a bot should have heard and did not
 * @param repeated           messages that a bot heard again
 * @param unacknowledged     messages that nothing is known of yet
 * @param outagesMs          from the last thing heard of a lost session to being in again
 * @param kicked             how often gateways closed sessions, by reason
 * @param problems           what is wrong
 */
public record BotReport(int bots, int in, Map<String, Integer> gateways, long joins, double seconds, long snapshots,
                        double snapshotsPerSecond, long snapshotsMissed, Percentiles rttMs, long said, long acknowledged,
                        Percentiles ackMs, long heard, long missing, long repeated, long unacknowledged, Percentiles outagesMs,
                        Map<KickReason, Long> kicked, List<String> problems) {

    /**
     * Tells whether all went well.
     *
     * @return whether there are no problems
     */
    public boolean isGood() {
        return problems.isEmpty();
    }

    /**
     * Shows it to people.
     *
     * @return some lines
     */
    public String summary() {
        return "bots " + in + " of " + bots + " in " + gateways + ", " + joins + " joins, " + Math.round(seconds) + " s\n"
            + "snapshots " + Math.round(snapshotsPerSecond * 10) / 10.0 + "/s each, "
            + snapshotsMissed + " of " + (snapshots + snapshotsMissed) + " missed\n"
            + "round trip " + rttMs + '\n'
            + "messages " + said + " said, " + acknowledged + " acknowledged (" + ackMs + "), " + heard + " heard, "
            + missing + " missing, " + repeated + " repeated, " + unacknowledged + " open\n"
            + "outages " + outagesMs + ", kicked " + kicked + '\n'
            + (isGood() ? "all is well" : "PROBLEMS: " + String.join("; ", problems));
    }
}
