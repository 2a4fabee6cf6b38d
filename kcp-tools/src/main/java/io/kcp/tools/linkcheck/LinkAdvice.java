package io.kcp.tools.linkcheck;

import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recommends settings for a measured link. The rules are those of the page {@code tuning.md}. */
final class LinkAdvice {

    /** Payload of a segment with the default MTU. */
    private static final int SEGMENT_BYTES = 1_376;
    private static final int DEFAULT_WINDOW = 128;
    private static final int DEFAULT_MTU = 1_400;

    static final double NO_LOSS = 0.000_5;
    static final double SOME_LOSS = 0.002;
    private static final double MUCH_LOSS = 0.02;
    private static final double LOSS_FOR_FEC = 0.01;
    private static final double RTT_FOR_FEC_MS = 100;
    private static final int FEC_DATA_SHARDS = 10;
    private static final int MAX_PARITY_SHARDS = 10;
    /** Share of the FEC groups that may lose more datagrams than parity recovers. */
    private static final double UNRECOVERED_GROUPS = 0.01;
    /** Growth of the round trip under load that shows a queue. */
    private static final double QUEUE_SHARE = 0.5;
    private static final double QUEUE_MS = 10;
    private static final double WINDOW_LIMITS = 0.7;
    private static final double NOTABLE_REORDERING = 0.001;

    /** A group of settings as Java code, and the reasons for them. */
    record Advice(String use, String code, List<String> reasons) {
    }

    private final LinkMeasurement link;

    LinkAdvice(LinkMeasurement link) {
        this.link = link;
    }

    List<Advice> all() {
        return List.of(smallMessages(), bulk(), fec());
    }

    /** Returns the settings of a session with small messages, such as that of a game. */
    Advice smallMessages() {
        List<String> reasons = new ArrayList<>();
        reasons.add("fast3: the shortest retransmission timeouts");
        String changes = mtu();
        String loss = percent(link.loss()) + " of the datagrams are lost";
        if (link.loss() < SOME_LOSS) {
            reasons.add("no redundancy: " + loss);
        } else {
            boolean much = link.loss() >= MUCH_LOSS;
            changes = ".redundancy(Redundancy." + (much ? "ON" : "ADAPTIVE") + ')' + changes;
            reasons.add("redundancy: " + loss + ", and a retransmission takes at least "
                + String.format(Locale.ROOT, "%.0f ms", link.medianRttMs())
                + (much ? "" : "; ADAPTIVE sends copies only while more than 1 % is lost"));
        }
        addMtuReason(reasons);
        String code = "KcpConfig.fast3()" + (changes.isEmpty() ? "" : ".toBuilder()" + changes + ".build()");
        return new Advice("small messages", code, reasons);
    }

    /** Returns the settings of a session that fills the link. */
    Advice bulk() {
        List<String> reasons = new ArrayList<>();
        boolean queue = link.loadedMedianRttMs() > link.shortestRttMs() * (1 + QUEUE_SHARE) + QUEUE_MS;
        String algorithm;
        if (link.loss() >= NO_LOSS) {
            algorithm = "BBR";
            reasons.add("BBR: " + percent(link.loss()) + " are lost without load, which CUBIC would take for congestion");
        } else if (queue) {
            algorithm = "BBR";
            reasons.add(String.format(Locale.ROOT, "BBR: the round trip grew from %.0f to %.0f ms under load, and BBR keeps queues short",
                link.shortestRttMs(), link.loadedMedianRttMs()));
        } else {
            algorithm = "CUBIC";
            reasons.add("CUBIC: no loss and no queue, so it shares the link fairly with TCP");
        }
        int window = windowSegments();
        reasons.add(String.format(Locale.ROOT, "windows: twice %.1f Mbit/s × %.0f ms / %,d bytes, and at least %d", megabits(),
            link.shortestRttMs(), SEGMENT_BYTES, DEFAULT_WINDOW));
        if (isLimitedByServerWindow()) {
            reasons.add("the receive window of the server, " + link.serverWindow()
                + " segments, limited the rate; enlarge its windows and repeat the measurement");
        }
        if (link.reordered() >= NOTABLE_REORDERING) {
            reasons.add(percent(link.reordered()) + " arrived out of order: keep adaptiveReordering, which is on by default");
        }
        addMtuReason(reasons);
        return new Advice("bulk", "KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm." + algorithm + ").windows("
            + window + ")" + mtu() + ".build()", reasons);
    }

    /** Returns the FEC settings of a session with hundreds of datagrams per second. */
    Advice fec() {
        if (link.loss() < LOSS_FOR_FEC || link.medianRttMs() < RTT_FOR_FEC_MS) {
            return new Advice("FEC", "none", List.of(link.loss() < LOSS_FOR_FEC
                ? "only " + percent(link.loss()) + " of the datagrams are lost"
                : String.format(Locale.ROOT, "a retransmission takes only about %.0f ms; parity pays from a round trip of 100 ms on",
                    link.medianRttMs())));
        }
        FecShape shape = fecShape();
        if (shape == null) {
            return new Advice("FEC", "none", List.of(String.format(Locale.ROOT,
                "%s are lost in runs of %.1f datagrams, which parity of a reasonable size does not recover", percent(link.loss()),
                link.meanLossRun())));
        }
        return new Advice("FEC", "FecConfig.of(" + shape.dataShards() + ", " + shape.parityShards() + ")", List.of(
            String.format(Locale.ROOT, "recovers 99 of 100 groups at %s loss in runs of %.1f datagrams, without a wait of %.0f ms",
                percent(link.loss()), link.meanLossRun(), link.medianRttMs()),
            "only for sessions that fill groups within a round trip: at least "
                + Math.round(Math.ceil(FEC_DATA_SHARDS * 1_000 / link.medianRttMs())) + " datagrams per second"));
    }

    /** Returns the smallest shape with ten data shards that recovers almost all groups, or null if there is none. */
    @Nullable FecShape fecShape() {
        for (int parity = 1; parity <= MAX_PARITY_SHARDS; parity++) {
            if (unrecovered(FEC_DATA_SHARDS, parity, link.loss(), link.meanLossRun()) <= UNRECOVERED_GROUPS) {
                return new FecShape(FEC_DATA_SHARDS, parity);
            }
        }
        return null;
    }

    /** Returns the window that holds twice the bandwidth-delay product, rounded up to a power of two, in segments. */
    int windowSegments() {
        double product = megabits() * 1e6 / 8 * link.shortestRttMs() / 1e3 / SEGMENT_BYTES;
        int window = DEFAULT_WINDOW;
        while (window < 2 * product && window <= KcpConfig.MAX_WINDOW_SEGMENTS / 2) {
            window *= 2;
        }
        return window;
    }

    /** Returns {@code true} if the data in flight almost filled the receive window of the server. */
    boolean isLimitedByServerWindow() {
        double inFlight = link.megabitsToServer() * 1e6 / 8 * link.loadedMedianRttMs() / 1e3 / SEGMENT_BYTES;
        return inFlight > WINDOW_LIMITS * link.serverWindow();
    }

    private double megabits() {
        return Math.max(link.megabitsToServer(), link.megabitsFromServer());
    }

    private String mtu() {
        return isSmallMtu() ? ".mtuBytes(" + link.largestDatagramBytes() + ")" : "";
    }

    private boolean isSmallMtu() {
        return link.largestDatagramBytes() > 0 && link.largestDatagramBytes() < DEFAULT_MTU;
    }

    private void addMtuReason(List<String> reasons) {
        if (isSmallMtu()) {
            reasons.add("mtuBytes: datagrams above " + link.largestDatagramBytes() + " bytes do not reach the server");
        }
    }

    /**
     * Returns the probability that a group of consecutive datagrams loses more of them than parity recovers, in a two-state model of
     * losses.
     *
     * @param loss    share of the datagrams that are lost
     * @param meanRun mean length of a run of lost datagrams; a shorter run than that of independent losses means independent losses
     */
    static double unrecovered(int dataShards, int parityShards, double loss, double meanRun) {
        double run = Math.max(meanRun, 1 / (1 - loss));
        double endOfRun = 1 / run;
        double startOfRun = loss * endOfRun / (1 - loss);
        int datagrams = dataShards + parityShards;
        // Probability that n datagrams of the group were lost so far, and whether the latest datagram was.
        double[] afterArrival = new double[datagrams + 2];
        double[] afterLoss = new double[datagrams + 2];
        afterArrival[0] = 1 - loss;
        afterLoss[0] = loss;
        for (int i = 0; i < datagrams; i++) {
            double[] arrived = new double[datagrams + 2];
            double[] lost = new double[datagrams + 2];
            for (int n = 0; n <= i; n++) {
                arrived[n] = afterArrival[n] * (1 - startOfRun) + afterLoss[n] * endOfRun;
                lost[n + 1] = afterArrival[n] * startOfRun + afterLoss[n] * (1 - endOfRun);
            }
            afterArrival = arrived;
            afterLoss = lost;
        }
        double sum = 0;
        for (int n = parityShards + 1; n <= datagrams; n++) {
            sum += afterArrival[n] + afterLoss[n];
        }
        return sum;
    }

    static String percent(double share) {
        double percent = 100 * share;
        return String.format(Locale.ROOT, percent > 0 && percent < 0.095 ? "%.2f %%" : "%.1f %%", percent);
    }
}
