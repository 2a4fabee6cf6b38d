package io.kcp.core.internal.datagram;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.base.SerialNumber;
import java.util.Arrays;

/**
 * Repeats acknowledgements of segments beyond a gap, so that the loss of one datagram does not make the peer retransmit segments that have
 * arrived. Acknowledgements of segments before the gap need no repetition, because every later {@code una} repeats them.
 *
 * <p>Acknowledgements are repeated only while the peer transmits segments again more than a round trip after they were acknowledged, which
 * shows that the path loses acknowledgements. Copies, probes and segments that FEC had recovered do not show this. A repetition is marked,
 * because its delay is not a round-trip sample. Only this library understands the mark, so acknowledgements to other implementations are
 * not repeated.
 *
 * <p>At most {@value #CAPACITY} acknowledgements wait for their repetitions, which are sent with the next acknowledgements.
 */
public final class AckRepetition {

    /** Value of {@code frg} in a repeated ACK. Other ACKs contain 0. */
    public static final int REPEATED = 1;

    private static final int CAPACITY = 32;
    private static final int REPETITIONS = 2;
    /** Number of acknowledgements after a retransmission of an acknowledged segment that are repeated. */
    private static final int HORIZON = 1_024;
    /** Number of acknowledgements whose times are known. A sample suffices, because many segments are retransmitted if ACKs are lost. */
    private static final int SAMPLES = 64;
    /** Number of round trips after which another acknowledgement may replace a sample. */
    private static final int SAMPLE_ROUND_TRIPS = 4;
    private static final int UNUSED_AGE_MS = Integer.MAX_VALUE;
    // Indexes of the first ts and of the first number of repetitions in the array of acknowledgements.
    private static final int TS = CAPACITY;
    private static final int SENT = 2 * CAPACITY;
    private static final int[] NONE = {};

    // Arrays are allocated lazily, on the first acknowledgement of a segment after a gap or when one is first repeated, because many
    // sessions need neither.
    /**
     * The {@code sn} of each sample and, from index {@link #SAMPLES} on, its time. The time is the newest {@code ts} that had arrived from
     * the peer when the acknowledgement was sent.
     */
    private int[] samples = NONE;
    private int newestTs;
    private int roundTripMs;
    /** The {@code sn} of each acknowledgement, followed by all {@code ts} and by the numbers of repetitions that were sent. */
    private int[] waiting = NONE;
    private int first;
    private int size;
    private int left;

    /** Sets the newest {@code ts} that has arrived from the peer, and the longest round trip to expect. */
    public void onArrival(int newestTs, int roundTripMs) {
        this.newestTs = newestTs;
        this.roundTripMs = roundTripMs;
    }

    /** Records that a segment with data has arrived again, and begins to repeat acknowledgements if this shows the loss of its ACK. */
    public void onDuplicate(int sn, int ts) {
        int index = sn & SAMPLES - 1;
        if (samples.length > 0 && samples[index] == sn && ts - samples[SAMPLES + index] > roundTripMs) {
            left = HORIZON;
        }
    }

    /** Stores an acknowledgement beyond a gap that was sent. The oldest one is replaced if the history is full. */
    public void onSent(int sn, int ts, int nextExpected) {
        if (SerialNumber.isBefore(sn, nextExpected)) {
            return;
        }
        sample(sn);
        if (left == 0) {
            return;
        }
        left--;
        if (waiting.length == 0) {
            waiting = new int[3 * CAPACITY];
        } else if (size == CAPACITY) {
            removeFirst();
        }
        int index = first + size & CAPACITY - 1;
        waiting[index] = sn;
        waiting[TS + index] = ts;
        waiting[SENT + index] = 0;
        size++;
    }

    private void sample(int sn) {
        int index = sn & SAMPLES - 1;
        if (samples.length == 0) {
            samples = new int[2 * SAMPLES];
            // Marks every slot as unused: sn can match only in its own slot, and the timestamp is old enough for any acknowledgement to
            // replace the slot.
            Arrays.fill(samples, 0, SAMPLES, sn);
            Arrays.fill(samples, SAMPLES, samples.length, newestTs - UNUSED_AGE_MS);
        }
        int ageMs = newestTs - samples[SAMPLES + index];
        // The age is negative if the peer's clock was set back.
        if (samples[index] == sn || ageMs < 0 || ageMs > SAMPLE_ROUND_TRIPS * roundTripMs) {
            samples[index] = sn;
            samples[SAMPLES + index] = newestTs;
        }
    }

    /** Appends the repetitions to the outbound datagrams, oldest first. */
    public void write(DatagramWriter writer, int nextExpected) {
        for (int i = 0; i < size; i++) {
            int index = first + i & CAPACITY - 1;
            if (isDue(index, nextExpected)) {
                if (!writer.mayAppend(SegmentHeader.LENGTH)) {
                    return;
                }
                waiting[SENT + index]++;
                writer.repeatedAck(waiting[index], waiting[TS + index]);
            }
        }
        while (size > 0 && !isDue(first, nextExpected)) {
            removeFirst();
        }
    }

    private boolean isDue(int index, int nextExpected) {
        return waiting[SENT + index] < REPETITIONS && !SerialNumber.isBefore(waiting[index], nextExpected);
    }

    /** Frees the arrays, because the conversation is idle. */
    public void trim() {
        waiting = NONE;
        size = 0;
        samples = NONE;
    }

    /** Returns the memory in bytes that {@link #trim} frees. */
    public int arrayBytes() {
        return (waiting.length + samples.length) * Integer.BYTES;
    }

    private void removeFirst() {
        first = first + 1 & CAPACITY - 1;
        size--;
    }
}
