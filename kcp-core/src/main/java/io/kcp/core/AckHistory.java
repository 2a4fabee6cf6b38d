package io.kcp.core;

/**
 * Repeats acknowledgements of segments beyond a gap, so that the loss of one datagram does not make the peer retransmit segments that have
 * arrived. Acknowledgements of segments before the gap need no repetition, because every later {@code una} repeats them.
 *
 * <p>Acknowledgements are repeated only while the peer retransmits segments that were acknowledged, which shows that the path loses
 * acknowledgements. A repetition is marked, because its delay is not a round-trip sample. Only this library understands the mark, so
 * acknowledgements to other implementations are not repeated.
 */
final class AckHistory {

    /** Value of {@code frg} in a repeated ACK. Other ACKs contain 0. */
    static final int REPEATED = 1;

    private static final int CAPACITY = 32;
    private static final int REPETITIONS = 2;
    /** Number of acknowledgements after a retransmission of an acknowledged segment that are repeated. */
    private static final int HORIZON = 1_024;
    private static final int[] NONE = {};

    // The arrays are allocated for the first repetition, because most sessions need none.
    private int[] sns = NONE;
    private int[] timestamps = NONE;
    private int[] repetitions = NONE;
    private int first;
    private int size;
    private int left;

    /** Records that the peer has retransmitted a segment that this side has acknowledged. */
    void onAcknowledgedAgain() {
        left = HORIZON;
    }

    /** Stores an acknowledgement beyond a gap that was sent. The oldest one is replaced if the history is full. */
    void onSent(int sn, int ts, int nextExpected) {
        if (left == 0 || SerialNumber.isBefore(sn, nextExpected)) {
            return;
        }
        left--;
        if (sns.length == 0) {
            sns = new int[CAPACITY];
            timestamps = new int[CAPACITY];
            repetitions = new int[CAPACITY];
        } else if (size == CAPACITY) {
            removeFirst();
        }
        int index = first + size & CAPACITY - 1;
        sns[index] = sn;
        timestamps[index] = ts;
        repetitions[index] = 0;
        size++;
    }

    /** Appends the repetitions to the outbound datagrams, oldest first. */
    void write(DatagramWriter writer, int nextExpected) {
        for (int i = 0; i < size; i++) {
            int index = first + i & CAPACITY - 1;
            if (repetitions[index] < REPETITIONS && !SerialNumber.isBefore(sns[index], nextExpected)) {
                if (!writer.mayAppend(SegmentHeader.LENGTH)) {
                    return;
                }
                repetitions[index]++;
                writer.repeatedAck(sns[index], timestamps[index]);
            }
        }
        while (size > 0 && (repetitions[first] >= REPETITIONS || SerialNumber.isBefore(sns[first], nextExpected))) {
            removeFirst();
        }
    }

    /** Frees the arrays, because the conversation is idle. */
    void trim() {
        sns = NONE;
        timestamps = NONE;
        repetitions = NONE;
        size = 0;
    }

    /** Returns the memory in bytes that {@link #trim} frees. */
    int arrayBytes() {
        return (sns.length + timestamps.length + repetitions.length) * Integer.BYTES;
    }

    private void removeFirst() {
        first = first + 1 & CAPACITY - 1;
        size--;
    }
}
