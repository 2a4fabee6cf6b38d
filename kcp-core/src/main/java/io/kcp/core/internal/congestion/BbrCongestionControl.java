package io.kcp.core.internal.congestion;

/**
 * Implements a rate-based congestion control that follows the model of BBR (draft-ietf-ccwg-bbr). The algorithm estimates the bandwidth of
 * the bottleneck from the delivery rate and the round-trip time of the empty path. It paces transmissions at this bandwidth, and limits
 * the data in flight to slightly more than the product of both. It probes for more bandwidth about once per second.
 *
 * <p>Unlike in the draft, a loss alone is not a sign of congestion. {@link LossFloor} estimates the losses of the empty path, and
 * bandwidth and pacing compensate for them. Only losses above this share reduce the rate, and only if a queue has formed or if the
 * delivery rate does not follow the sending rate. While no other traffic fills the queue of the bottleneck, the window keeps the queue of
 * this conversation below a quarter of a round trip.
 *
 * <p>A transfer that ends within about one round trip cannot show the bandwidth of the bottleneck. {@link ShortTransferPace} lets such
 * transfers use a pace and a window with which earlier transfers formed no queue.
 */
public final class BbrCongestionControl implements CongestionControl {

    /** The phases of the algorithm. */
    enum Phase {
        /** The rate grows exponentially until the bottleneck is found. */
        STARTUP,
        /** The queue that {@link #STARTUP} has built is drained. */
        DRAIN,
        /** The rate equals the estimated bandwidth. */
        CRUISE,
        /** The rate is below the estimated bandwidth for one round trip, to find out whether the losses depend on the rate. */
        SLOW,
        /** The rate exceeds the estimated bandwidth to find out whether more bandwidth is available. */
        UP,
        /** The queue that {@link #UP} has built is drained. */
        DOWN,
        /** The window is halved for a short time to measure the minimum round-trip time. */
        PROBE_RTT
    }

    private static final int US_PER_MS = 1_000;
    private static final double US_PER_S = 1e6;
    private static final int INITIAL_SEGMENTS = 20;
    private static final int MIN_SEGMENTS = 4;
    private static final double STARTUP_GAIN = 2.77;
    private static final double DRAIN_GAIN = 0.5;
    private static final double UP_GAIN = 1.25;
    private static final double UP_ACCELERATION = 1.2;
    private static final double UP_GROWTH_FACTOR = 1.1;
    private static final double MAX_UP_GAIN = 2;
    /**
     * Difference between the gain of the rate and the smaller gain of the window during {@link Phase#UP}. The smaller window keeps the
     * queue of this conversation below a quarter of a round trip.
     */
    private static final double UP_WINDOW_MARGIN = 0.1;
    private static final double DOWN_GAIN = 0.75;
    private static final double SLOW_GAIN = 0.8;
    private static final double TRIM_GAIN = 0.95;
    /** Share of the bandwidth that pacing uses, so that a small overestimate builds no queue. */
    private static final double PACING_MARGIN = 0.99;
    private static final double WINDOW_GAIN = 2;
    private static final double CRUISE_WINDOW_GAIN = 1.1;
    private static final int BURST_MS = 4;
    private static final int QUANTUM_MS = 2;
    static final long MAX_BYTES_PER_SECOND = 4_000_000_000L;
    private static final long PROBE_RTT_US = 200_000;
    /** Duration without a transmission after which the bandwidth may have changed. */
    private static final long STALE_MODEL_US = 10_000_000;
    /** A pause lasts at least an eighth of a round trip. Shorter gaps are caused by acknowledgements that arrive together. */
    private static final int PAUSE_SHIFT = 3;
    private static final double MEASURED_LOSS = 0.005;
    private static final double FOLLOWING_SHARE = 0.97;
    private static final double SLOWDOWN_SHARE = 0.8;
    private static final double BETA = 0.7;
    /** Time after a change of the bandwidth in which further changes are expected, so that probes for bandwidth are more frequent. */
    private static final long UNSTEADY_US = 5_000_000;
    /** Number of round trips between two probes of a path whose bandwidth changes. */
    private static final int UNSTEADY_ROUNDS = 3;
    private static final long MIN_UNSTEADY_US = 50_000;
    /** Limit of the gain while the bandwidth changes, because data in flight fills the queue when the bandwidth falls. */
    private static final double MAX_UNSTEADY_UP_GAIN = 1.5;
    private static final double CHANGE_FACTOR = 1.25;

    private Phase phase = Phase.STARTUP;
    private long phaseStartUs;

    private final QueueDelayEstimate delay = new QueueDelayEstimate();
    private final LossFloor lossFloor = new LossFloor();
    private final ExcessLoss excessLoss = new ExcessLoss(lossFloor);
    private final PolicerDetector policer = new PolicerDetector(excessLoss);
    private final AckAggregation aggregation = new AckAggregation();

    private final BandwidthEstimate bandwidth = new BandwidthEstimate();
    private final StartupEnd startupEnd = new StartupEnd();
    private final ProbeInterval probeInterval;
    private final ShortTransferPace shortFlights = new ShortTransferPace();
    /** Window and pace of a short transfer that begins before the next acknowledgement, or 0. */
    private long flightWindowBytes;
    private long flightBytesPerSecond;

    private final RoundTripCounts round = new RoundTripCounts();
    private boolean allAcknowledged;
    private int phaseRounds;
    private boolean roundEnded;

    private boolean filled;
    private boolean probeSoon;

    private double upGain = UP_GAIN;
    private long upStartBandwidth;
    private boolean endUp;
    private boolean slowed;
    private boolean probed;
    private long cruiseUs;
    private long probeStartBandwidth;
    /** Time of the latest change of the bandwidth, or -{@link #UNSTEADY_US} if there was none. */
    private long changedAtUs = -UNSTEADY_US;
    private int slowRounds;

    private long windowBytes;
    private long bytesPerSecond;
    private int segmentBytes;
    /** Bound of the window after congestion, until the next probe for bandwidth. */
    private long lossWindowBytes = Long.MAX_VALUE;
    /** {@code true} from an interruption of the path until the first acknowledgement. */
    private boolean interrupted;
    private long windowBeforeInterruption;
    /** {@code true} from an interruption of the path until the window has its normal size again. */
    private boolean recovering;
    private int inFlightSegments;
    private long activeAtUs;

    /**
     * Creates an algorithm in its startup phase.
     *
     * @param seed a random number, which desynchronizes the probes of several conversations
     */
    public BbrCongestionControl(int seed) {
        probeInterval = new ProbeInterval(seed);
        setSegmentBytes(1_400);
    }

    private void setSegmentBytes(int bytes) {
        if (segmentBytes == 0) {
            windowBytes = (long) INITIAL_SEGMENTS * bytes;
        }
        segmentBytes = bytes;
    }

    // ---- limits for the sender

    @Override
    public long maxBytesInFlight() {
        return Math.max(windowBytes, flightWindowBytes);
    }

    @Override
    public long pacingBytesPerSecond() {
        return Math.max(bytesPerSecond, flightBytesPerSecond);
    }

    @Override
    public long burstBytes() {
        if (phase == Phase.SLOW) {
            // Keeps the burst small, because saved tokens would otherwise make the measured rate higher than the reduced rate.
            return Math.max(segmentBytes, pacingBytesPerSecond() / 1_000);
        }
        int segments = phase == Phase.STARTUP ? INITIAL_SEGMENTS : MIN_SEGMENTS;
        return Math.max((long) segments * segmentBytes, pacingBytesPerSecond() * BURST_MS / 1_000);
    }

    /** Returns the estimated bandwidth, including losses that are not caused by congestion, in bytes per second. */
    public long bandwidth() {
        return bandwidth.bytesPerSecond();
    }

    /** Returns the estimated minimum round-trip time in microseconds, or 0 if it is not known. */
    public long minRttUs() {
        return delay.minimumUs();
    }

    /** Returns the estimated share of segments that the path loses without congestion. */
    public double lossShare() {
        return lossFloor.share();
    }

    Phase phase() {
        return phase;
    }

    boolean isCrowded() {
        return delay.isCrowded();
    }

    private long product(double gain) {
        return (long) (gain * bandwidth() * (delay.minimumUs() / US_PER_S));
    }

    // ---- reports

    @Override
    public void onAcknowledged(AckReport report) {
        setSegmentBytes(report.fullSegmentBytes);
        RateSample rate = report.rate;
        long timeUs = report.timeUs;
        if (rate.rttUs >= 0) {
            delay.onSample(rate.rttUs, timeUs);
        }
        if (rate.acknowledgedBytes == 0) {
            return;
        }
        activeAtUs = timeUs;
        if (interrupted) {
            // The timeouts of an interruption are not caused by congestion.
            interrupted = false;
            windowBeforeInterruption = 0;
            excessLoss.clear();
            aggregation.restart();
            round.start(rate, timeUs);
        }
        onRate(rate);
        aggregation.onAcknowledged(rate.acknowledgedBytes, timeUs, bandwidth(), delay.minimumUs());
        roundEnded = round.isEnded(rate);
        if (roundEnded) {
            onRoundEnd(rate, timeUs);
        }
        advance(rate, timeUs);
        updateWindow(rate.acknowledgedBytes);
        updatePace();
        updateFlight(rate.inFlightBytes);
        allAcknowledged = rate.inFlightBytes == 0;
    }

    /**
     * Updates the bandwidth. Counts lost bytes like delivered bytes, up to the share that the path loses without congestion, because they
     * also used the bottleneck. Random losses therefore do not change the estimate.
     */
    private void onRate(RateSample rate) {
        long intervalUs = rate.intervalUs + rate.resolutionUs;
        if (!rate.valid || rate.intervalUs < delay.minimumUs()) {
            return;
        }
        long delivered = rate.deliveredSinceBytes();
        double credited = filled ? Math.min(delivered + rate.lostSinceBytes, delivered / (1 - lossFloor.share())) : delivered;
        long sample = Math.min((long) (credited * US_PER_S / intervalUs), MAX_BYTES_PER_SECOND);
        round.add(sample, rate.applicationLimited);
        if (rate.applicationLimited && sample <= bandwidth()) {
            return;
        }
        if (sample > bandwidth.maximum()) {
            aggregation.restart();
        }
        bandwidth.onSample(sample, rate.applicationLimited);
    }

    private void onRoundEnd(RateSample rate, long timeUs) {
        phaseRounds++;
        double lost = round.lost(rate, segmentBytes);
        double total = lost + round.delivered(rate, segmentBytes);
        boolean reducedRate = phase == Phase.UP && slowed;
        boolean atBandwidth = phase == Phase.CRUISE && phaseRounds >= 2 && probed;
        if (delay.isPathEmpty() && (reducedRate || atBandwidth)) {
            // The segments acknowledged in this round were sent one round earlier.
            lossFloor.add(lost, total, reducedRate);
            if (atBandwidth) {
                excessLoss.addAtBandwidth(lost, total);
            }
        }
        if (phase == Phase.STARTUP) {
            if (!round.isApplicationLimited() && !recovering) {
                filled = startupEnd.isReached(bandwidth(), delay.isRising());
                probeSoon |= filled && delay.isRising();
            }
        } else if (!round.isApplicationLimited()) {
            checkLoss(lost, total);
            checkSlowdown();
        }
        if (phase == Phase.CRUISE && phaseRounds == 2) {
            delay.onDrained();
        }
        if (round.isPaused() && !recovering) {
            boolean lossy = shortFlights.isPaceLossy(rate, segmentBytes, lossFloor.share(), bandwidth());
            boolean congested = lossy || delay.hasRisen() || excessLoss.isRoundSevere(lost, total);
            shortFlights.onRound(round.deliveredBytes(rate), bandwidth(), delay.minimumUs(), congested);
        }
        if (reducedRate) {
            slowed = false;
            bandwidth.scale(1 - excessLoss.takeRateDependentShare());
        }
        checkPolicer(lost, total, rate, timeUs);
        bandwidth.onRoundEnd(excessLoss.isRoundExcessive(lost, total));
        if (phase == Phase.UP) {
            checkGrowth(timeUs);
        }
        delay.onRoundEnd();
        aggregation.onRound();
        round.start(rate, timeUs);
    }

    /** Reduces the rate if more is lost than the path loses without congestion, and if there is another sign of congestion. */
    private void checkLoss(double lost, double total) {
        boolean follows = recovering || round.maxBytesPerSecond() >= FOLLOWING_SHARE * bandwidth();
        if (excessLoss.isExcessive(lost, total) && (delay.hasQueue() || delay.isCrowded() || !follows)) {
            lossWindowBytes = Math.max((long) (BETA * Math.min(windowBytes, lossWindowBytes)), product(1));
            bandwidth.limit(Math.max(round.maxBytesPerSecond(), (long) (BETA * bandwidth())));
            endUp = phase == Phase.UP;
        }
    }

    /** Holds the delivered rate behind a policer. The segments acknowledged in a round were sent in the previous round. */
    private void checkPolicer(double lost, double total, RateSample rate, long timeUs) {
        boolean judged = phase == Phase.UP && phaseRounds >= 2 && !round.isApplicationLimited() && !recovering;
        boolean policed = judged && policer.isPoliced(lost, total, delay.hasQueue() || delay.isCrowded());
        lossFloor.setPoliced(policer.isSuspected());
        if (policed) {
            endUp = true;
            if (policer.isConfirmed()) {
                // The mean of the round is too low if the application had no data for a part of it.
                long mean = round.meanBytesPerSecond(rate, timeUs);
                bandwidth.hold(Math.max(mean, (long) (BETA * round.maxBytesPerSecond())));
            }
        }
    }

    /** Adopts a lower bandwidth if the queue grows and the delivery rate is lower for two round trips. */
    private void checkSlowdown() {
        long rate = round.maxBytesPerSecond();
        boolean slow = rate > 0 && rate < SLOWDOWN_SHARE * bandwidth() && delay.hasLongQueue();
        slowRounds = slow ? slowRounds + 1 : 0;
        if (slowRounds >= 2) {
            slowRounds = 0;
            changedAtUs = activeAtUs;
            bandwidth.replace(rate);
            aggregation.restart();
        }
    }

    /** Ends the probe for bandwidth unless the delivery rate has grown with the sending rate. */
    private void checkGrowth(long timeUs) {
        boolean grown = bandwidth() > upStartBandwidth * UP_GROWTH_FACTOR;
        if (endUp) {
            enterDown(timeUs);
        } else if (grown) {
            upStartBandwidth = bandwidth();
            double maxGain = isUnsteady(timeUs) ? MAX_UNSTEADY_UP_GAIN : MAX_UP_GAIN;
            upGain = delay.hasQueue() ? UP_GAIN : Math.min(upGain * UP_ACCELERATION, maxGain);
            phaseRounds = 0;
        } else if (phaseRounds >= (bandwidth.isConfirming() ? 3 : 2)) {
            enterDown(timeUs);
        }
    }

    private void advance(RateSample rate, long timeUs) {
        switch (phase) {
            case STARTUP -> {
                if (filled) {
                    enter(Phase.DRAIN, timeUs);
                }
            }
            case DRAIN, DOWN -> {
                if (rate.inFlightBytes <= product(1) || phaseRounds >= 4) {
                    enterCruise(timeUs);
                }
            }
            case CRUISE -> {
                if (delay.isStale(timeUs)) {
                    delay.startProbe();
                    enter(Phase.PROBE_RTT, timeUs);
                } else if (roundEnded && timeUs - phaseStartUs >= cruiseUs) {
                    // The share at a reduced rate, which limits the floor, may be too low by chance. It is measured again as long as
                    // segments are lost.
                    slowed = lossFloor.measuredShare() > MEASURED_LOSS;
                    if (slowed) {
                        enter(Phase.SLOW, timeUs);
                    } else {
                        enterUp(timeUs);
                    }
                }
            }
            case SLOW -> {
                if (phaseRounds >= 1) {
                    enterUp(timeUs);
                }
            }
            case PROBE_RTT -> {
                if (timeUs - phaseStartUs >= PROBE_RTT_US && phaseRounds >= 1) {
                    delay.endProbe(timeUs);
                    enterCruise(timeUs);
                }
            }
            default -> {
            }
        }
    }

    private void enter(Phase next, long timeUs) {
        phase = next;
        phaseStartUs = timeUs;
        phaseRounds = 0;
    }

    private void enterUp(long timeUs) {
        endUp = false;
        upGain = UP_GAIN;
        lossWindowBytes = Long.MAX_VALUE;
        upStartBandwidth = bandwidth();
        probeStartBandwidth = upStartBandwidth;
        enter(Phase.UP, timeUs);
    }

    private void enterDown(long timeUs) {
        probed = true;
        if (bandwidth() > probeStartBandwidth * CHANGE_FACTOR) {
            changedAtUs = timeUs;
        }
        enter(Phase.DOWN, timeUs);
    }

    private boolean isUnsteady(long timeUs) {
        return timeUs - changedAtUs < UNSTEADY_US;
    }

    private void enterCruise(long timeUs) {
        if (phase == Phase.DOWN && !recovering) {
            bandwidth.endCycle();
        }
        if (probeSoon) {
            cruiseUs = delay.minimumUs();
        } else if (isUnsteady(timeUs) && policer.probes() == 0) {
            cruiseUs = Math.max(UNSTEADY_ROUNDS * delay.minimumUs(), MIN_UNSTEADY_US);
        } else {
            cruiseUs = probeInterval.nextUs(delay.minimumUs(), policer.probes());
        }
        probeSoon = false;
        enter(Phase.CRUISE, timeUs);
    }

    // ---- window and pace

    private void updateWindow(long acknowledgedBytes) {
        if (bandwidth() == 0 || !delay.isKnown()) {
            windowBytes += acknowledgedBytes;
            return;
        }
        double gain = switch (phase) {
            case STARTUP, DRAIN -> WINDOW_GAIN;
            case CRUISE, SLOW, DOWN -> delay.isCrowded() ? WINDOW_GAIN : CRUISE_WINDOW_GAIN;
            case UP -> delay.isCrowded() ? WINDOW_GAIN * UP_GAIN : upGain - UP_WINDOW_MARGIN;
            case PROBE_RTT -> 0.5;
        };
        long target = product(gain);
        if (!delay.isCrowded() && phase != Phase.STARTUP && phase != Phase.PROBE_RTT) {
            // A path with jitter needs a window for the usual round trip, which is longer than the minimum.
            target += (long) (gain * bandwidth() * (delay.excessUs() / US_PER_S));
        }
        if (phase != Phase.PROBE_RTT) {
            target += (long) (bandwidth() * (delay.crowdingUs() / US_PER_S));
            target += aggregation.bytes() + bandwidth() * QUANTUM_MS / 1_000;
        }
        target = Math.max(Math.min(target, lossWindowBytes), (long) MIN_SEGMENTS * segmentBytes);
        recovering &= windowBytes + acknowledgedBytes < target;
        if (phase == Phase.STARTUP) {
            windowBytes = Math.max(windowBytes, Math.min(windowBytes + acknowledgedBytes, target));
        } else {
            windowBytes = Math.min(windowBytes + acknowledgedBytes, target);
        }
    }

    private void updatePace() {
        if (!delay.isKnown()) {
            return;
        }
        double initial = STARTUP_GAIN * INITIAL_SEGMENTS * segmentBytes * US_PER_S / delay.minimumUs();
        double rate = switch (phase) {
            case STARTUP -> Math.max(STARTUP_GAIN * bandwidth(), Math.max(initial, bytesPerSecond));
            case DRAIN -> DRAIN_GAIN * bandwidth();
            case UP -> upGain * bandwidth();
            case DOWN -> DOWN_GAIN * bandwidth();
            case SLOW -> SLOW_GAIN * bandwidth();
            case PROBE_RTT -> bandwidth();
            case CRUISE -> bandwidth() * PACING_MARGIN * (delay.hadShortQueue() ? TRIM_GAIN : 1);
        };
        double least = MIN_SEGMENTS * segmentBytes * US_PER_S / Math.max(delay.minimumUs(), US_PER_MS) / 4;
        bytesPerSecond = (long) Math.min(Math.max(rate, Math.max(least, 1_000)), MAX_BYTES_PER_SECOND);
    }

    /** Sets the limits of a short transfer that begins now. */
    private void updateFlight(long inFlightBytes) {
        boolean begins = shortFlights.mayBegin(inFlightBytes) && phase != Phase.PROBE_RTT && !recovering;
        double gain = switch (phase) {
            case SLOW -> SLOW_GAIN;
            case DRAIN, DOWN -> DOWN_GAIN;
            default -> 1;
        };
        flightWindowBytes = begins ? Math.min(shortFlights.windowBytes(), lossWindowBytes) : 0;
        flightBytesPerSecond = begins ? (long) (gain * shortFlights.bytesPerSecond()) : 0;
    }

    @Override
    public void onLost(LossReport report) {
        if (report.interrupted) {
            flightWindowBytes = 0;
            flightBytesPerSecond = 0;
            // A small window probes the path until it works again. The model of the path stays as it is.
            interrupted = true;
            recovering = true;
            windowBeforeInterruption = Math.max(windowBytes, windowBeforeInterruption);
            windowBytes = (long) MIN_SEGMENTS * segmentBytes;
        }
    }

    @Override
    public void onInterruptionUndone() {
        windowBytes = Math.max(windowBytes, windowBeforeInterruption);
    }

    @Override
    public void onFlushed(FlushReport report) {
        if (report.sent > 0 && inFlightSegments == 0 && report.timeUs - activeAtUs > STALE_MODEL_US && bandwidth.maximum() > 0) {
            restart(report.timeUs);
        }
        inFlightSegments = report.inFlightSegments;
        if (report.sent > 0) {
            if (allAcknowledged && report.timeUs - activeAtUs >= delay.minimumUs() >> PAUSE_SHIFT) {
                round.onPaused();
            }
            allAcknowledged = false;
            activeAtUs = report.timeUs;
        }
    }

    /** Starts again at half the bandwidth after a long idle period, because the path may have changed. */
    private void restart(long timeUs) {
        bandwidth.replace(bandwidth.maximum() / 2);
        excessLoss.clear();
        lossWindowBytes = Long.MAX_VALUE;
        policer.reset();
        slowed = false;
        probed = false;
        startupEnd.reset();
        shortFlights.reset();
        // The current round is not that of a transfer on the path as it is now.
        allAcknowledged = false;
        round.clearPause();
        flightWindowBytes = 0;
        flightBytesPerSecond = 0;
        filled = false;
        windowBytes = Math.max(product(1), (long) INITIAL_SEGMENTS * segmentBytes);
        bytesPerSecond = 0;
        enter(Phase.STARTUP, timeUs);
        updatePace();
    }

    @Override
    public String toString() {
        return "BbrCongestionControl(" + phase + ", " + bandwidth() + " B/s, " + delay.minimumUs() + " us, loss " + lossFloor.share()
            + ", window " + windowBytes + (delay.isCrowded() ? ", crowded" : "") + ')';
    }
}
