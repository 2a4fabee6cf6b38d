package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Results that a fleet of bots measured. If there are no problems, every bot received every acknowledged message of its room once and in
 * order.
 *
 * @param bots               number of bots
 * @param in                 bots that are in a room now
 * @param gateways           number of bots in rooms by gateway
 * @param joins              number of joins, including those after a lost session
 * @param seconds            time since the fleet started
 * @param snapshots          snapshots received
 * @param snapshotsPerSecond snapshots received per second and bot
 * @param snapshotsMissed    snapshots that were lost or arrived after a newer one
 * @param rttMs              from a ping to its pong, through the handlers on both sides
 * @param gapMs              time between two new snapshots; 50 ms if none is lost or late
 * @param said               messages sent
 * @param acknowledged       messages acknowledged
 * @param ackMs              from sending a message to its acknowledgement, including outages
 * @param heard              messages received by all bots together
 * @param missing            messages that a bot did not receive
 * @param repeated           messages that a bot received more than once
 * @param unacknowledged     messages not acknowledged yet
 * @param outagesMs          from the last datagram of a lost session to the next welcome
 * @param longestOutages     the longest outages, the longest first
 * @param kicked             sessions closed by gateways, by reason
 * @param problems           descriptions of all problems
 */
public record BotReport(int bots, int in, Map<String, Integer> gateways, long joins, double seconds, long snapshots,
                        double snapshotsPerSecond, long snapshotsMissed, Times rttMs, Times gapMs, long said, long acknowledged,
                        Times ackMs, long heard, long missing, long repeated, long unacknowledged, Times outagesMs,
                        List<Outage> longestOutages, Map<KickReason, Long> kicked, List<String> problems) {

    /**
     * Outage of a bot, from the loss of its session to the next welcome message.
     *
     * @param bot   name of the bot
     * @param ms    length in milliseconds
     * @param end   time of the next welcome message
     * @param notes what happened, each with its time since the last datagram of the lost session
     */
    public record Outage(String bot, long ms, Instant end, List<String> notes) {

        @Override
        public String toString() {
            return bot + ' ' + ms + " ms until " + end + "\n    " + String.join("\n    ", notes);
        }
    }

    /**
     * Percentiles of measured times in milliseconds.
     *
     * @param count number of measurements
     * @param p50   median
     * @param p90   90th percentile
     * @param p99   99th percentile
     * @param max   maximum
     */
    public record Times(long count, double p50, double p90, double p99, double max) {

        static Times of(Histogram nanos) {
            return new Times(nanos.getTotalCount(), millis(nanos.getValueAtPercentile(50)), millis(nanos.getValueAtPercentile(90)),
                millis(nanos.getValueAtPercentile(99)), millis(nanos.getMaxValue()));
        }

        private static double millis(long nanos) {
            return Math.round(nanos / 1e4) / 100.0;
        }

        @Override
        public String toString() {
            return count == 0 ? "none" : "p50 " + p50 + ", p90 " + p90 + ", p99 " + p99 + ", max " + max + " ms of " + count;
        }
    }

    /**
     * Returns {@code true} if the report contains no problems.
     *
     * @return {@code true} without problems
     */
    public boolean isGood() {
        return problems.isEmpty();
    }

    /**
     * Returns the results as human-readable text.
     *
     * @return several lines
     */
    public String summary() {
        return "bots " + in + " of " + bots + " in " + gateways + ", " + joins + " joins, " + Math.round(seconds) + " s\n"
            + "snapshots " + Math.round(snapshotsPerSecond * 10) / 10.0 + "/s each, "
            + snapshotsMissed + " of " + (snapshots + snapshotsMissed) + " missed, gaps " + gapMs + '\n'
            + "round trip " + rttMs + '\n'
            + "messages " + said + " said, " + acknowledged + " acknowledged (" + ackMs + "), " + heard + " heard, "
            + missing + " missing, " + repeated + " repeated, " + unacknowledged + " open\n"
            + "outages " + outagesMs + ", kicked " + kicked + '\n'
            + longestOutages.stream().map(outage -> "outage of " + outage + '\n').collect(Collectors.joining())
            + (isGood() ? "no problems" : "PROBLEMS: " + String.join("; ", problems));
    }
}
