package io.kcp.core.conversation;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Applies a stream of random operations to two conversations: writes, reads, losses, duplicates, forgeries, pauses, and changes of
 * settings. Invariants are checked after each step. In the end, the network delivers everything, and all written data must have arrived.
 * Equal choices result in equal runs.
 */
final class KcpOperations {

    /** The source of the choices, which is a seed or a fuzzer. */
    interface Choices {

        /** Returns a number from 0 to {@code bound - 1}. */
        int below(int bound);

        /** Returns {@code true} if there are more choices. */
        boolean hasMore();
    }

    private static final int MAX_STEPS = 2_000;
    private static final int MAX_IN_TRANSIT = 200;
    private static final int MAX_WAITING_SEGMENTS = 2_000;
    private static final int SETTLING_STEPS = 20_000;
    /** Longest time without a deadline: the maximum timeout of 60 s with the maximum back-off. */
    private static final int LONGEST_SLEEP_MS = 33 * 60_000;
    private static final int[] WINDOWS = {1, 2, 4, 16, 32, 128, 1_024, 65_535};
    private static final int[] PAUSES_MS = {0, 1, 5, 10, 20, 30, 100, 200, 500, 2_000, 10_000, 3_600_000, -1_000, Integer.MIN_VALUE};

    private final Choices choices;
    private final LeakCheck leaks = new LeakCheck(false);
    private final boolean hostile;
    private final int smallestWindow;
    private final int smallestMtu;
    private final KcpTransferMode mode;
    private final Side[] sides = new Side[2];
    private int step;

    KcpOperations(Choices choices) {
        this.choices = choices;
        hostile = choices.below(3) == 0;
        smallestWindow = WINDOWS[choices.below(5)];
        smallestMtu = new int[] {25, 50, 200, 576}[choices.below(4)];
        mode = choices.below(2) == 0 ? KcpTransferMode.MESSAGE : KcpTransferMode.STREAM;
        int nowMs = choices.below(2) == 0 ? 0 : choices.below(Integer.MAX_VALUE) << 1;
        int firstSn = choices.below(2) == 0 ? 0 : -choices.below(100);
        for (int i = 0; i < 2; i++) {
            sides[i] = new Side(new DrivenKcp(leaks, config(), nowMs, choices.below(Integer.MAX_VALUE), firstSn, firstSn), i);
        }
        sides[0].peer = sides[1];
        sides[1].peer = sides[0];
    }

    /** Runs all operations, and throws an error after the first step that violates an invariant. */
    void run() {
        try {
            for (step = 0; step < MAX_STEPS && choices.hasMore(); step++) {
                operate(sides[choices.below(2)]);
                for (Side side : sides) {
                    side.check();
                }
            }
            if (!hostile) {
                settle();
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("step " + step + ": " + e.getMessage(), e);
        } finally {
            leaks.verify();
        }
    }

    private void operate(Side side) {
        switch (choices.below(16)) {
            case 0, 1 -> side.write();
            case 2, 3, 4 -> side.flush();
            case 5, 6, 7 -> side.deliver(false);
            case 8 -> side.deliver(true);
            case 9 -> side.lose();
            case 10 -> side.read(choices.below(10));
            case 11 -> pause();
            case 12 -> side.driven.kcp.reconfigure(config());
            case 13 -> side.forge();
            case 14 -> side.small();
            default -> side.flushIfDue();
        }
    }

    private void pause() {
        int ms = PAUSES_MS[choices.below(PAUSES_MS.length)];
        for (Side side : sides) {
            side.driven.advance(ms);
        }
    }

    private KcpConfig config() {
        int smallestWindowIndex = 0;
        while (WINDOWS[smallestWindowIndex] < smallestWindow) {
            smallestWindowIndex++;
        }
        KcpConfigBuilder builder = KcpConfig.builder().mode(mode)
            .mtuBytes(smallestMtu + choices.below(KcpConfig.MAX_MTU_BYTES + 1 - smallestMtu))
            .sendWindow(WINDOWS[choices.below(WINDOWS.length)])
            .receiveWindow(WINDOWS[smallestWindowIndex + choices.below(WINDOWS.length - smallestWindowIndex)]);
        int switches = choices.below(64);
        builder.noDelay((switches & 1) != 0).writeDelay((switches & 2) != 0).ackNoDelay((switches & 4) == 0)
            .adaptiveReordering((switches & 8) == 0).backoffLimitMs((switches & 16) == 0 ? 2_000 : 0)
            .maxTransmissions((switches & 32) == 0 ? 0 : 20).deadPeerTimeoutMs(0).zeroWindowTimeoutMs(0);
        builder.fastResend(choices.below(5)).fastResendLimit(choices.below(4)).intervalMs(10 + choices.below(100));
        builder.earlyRetransmit(EarlyRetransmit.values()[choices.below(EarlyRetransmit.values().length)]);
        builder.redundancy(Redundancy.values()[switches % Redundancy.values().length]).redundancyDelayMs(switches >> 2)
            .windowBudgetBytes((switches & 3) == 0 ? 1 << 17 : 0);
        builder.congestionControl(CongestionAlgorithm.values()[choices.below(CongestionAlgorithm.values().length)]);
        return builder.build();
    }

    /** Delivers all datagrams and reads all messages until everything has arrived. */
    private void settle() {
        for (int i = 0; i < SETTLING_STEPS; i++) {
            boolean quiet = true;
            for (Side side : sides) {
                side.flushIfDue();
                side.deliverAll();
                side.read(Integer.MAX_VALUE);
                side.check();
                quiet &= side.driven.kcp.isIdle() && side.inTransit.isEmpty();
            }
            if (quiet) {
                sides[0].checkComplete();
                sides[1].checkComplete();
                return;
            }
            int wait = 10_000;
            for (Side side : sides) {
                wait = Math.min(wait, side.driven.kcp.nextDeadline(side.driven.nowMs()));
            }
            for (Side side : sides) {
                side.driven.advance(Math.max(wait, 1));
            }
        }
        throw new AssertionError("does not become idle: " + sides[0] + ", " + sides[1]);
    }

    /** One conversation, its datagrams in transit, and the data that its application wrote and read. */
    private final class Side {

        private final DrivenKcp driven;
        private final int number;
        private final List<byte[]> inTransit = new ArrayList<>();
        private final List<Integer> messages = new ArrayList<>();
        private final Map<Integer, Integer> bytesThatReachedThePeer = new HashMap<>();
        private Side peer;
        private long writtenBytes;
        private long readBytes;
        private int readMessages;
        private boolean tainted;

        Side(DrivenKcp driven, int number) {
            this.driven = driven;
            this.number = number;
        }

        void write() {
            int most = Math.min(8_000, smallestWindow * (smallestMtu - SegmentHeader.LENGTH));
            int length = choices.below(4) == 0 ? choices.below(most + 1) : choices.below(Math.min(most, 100) + 1);
            if (driven.kcp.waitingSegments() > MAX_WAITING_SEGMENTS || length > driven.kcp.maxMessageBytes()) {
                return;
            }
            byte[] message = new byte[length];
            for (int i = 0; i < length; i++) {
                message[i] = content(number, writtenBytes + i);
            }
            writtenBytes += length;
            if (length > 0 || mode == KcpTransferMode.MESSAGE) {
                messages.add(length);
            }
            driven.send(message);
        }

        void flush() {
            driven.kcp.flush(driven.nowMs());
            List<byte[]> datagrams = driven.output.take();
            for (byte[] datagram : datagrams) {
                if (datagram.length > KcpConfig.MAX_MTU_BYTES || WireSegment.parse(datagram).isEmpty()) {
                    throw new AssertionError("datagram of " + datagram.length + " bytes");
                }
            }
            if (inTransit.size() < MAX_IN_TRANSIT) {
                inTransit.addAll(datagrams);
            }
        }

        void flushIfDue() {
            if (driven.kcp.nextDeadline(driven.nowMs()) == 0) {
                flush();
            }
        }

        void deliver(boolean again) {
            if (inTransit.isEmpty()) {
                return;
            }
            int index = choices.below(3) == 0 ? choices.below(inTransit.size()) : 0;
            input(again ? inTransit.get(index) : inTransit.remove(index));
        }

        void deliverAll() {
            while (!inTransit.isEmpty()) {
                input(inTransit.remove(0));
            }
        }

        private void input(byte[] datagram) {
            for (WireSegment segment : WireSegment.parse(datagram)) {
                if (segment.isPush()) {
                    bytesThatReachedThePeer.merge(segment.sn(), segment.payload().length, Math::max);
                }
            }
            InputResult result = peer.driven.inputBytes(datagram);
            if (result != InputResult.ACCEPTED && !tainted && !peer.tainted) {
                throw new AssertionError(result + " for " + WireSegment.parse(datagram));
            }
        }

        void lose() {
            if (!inTransit.isEmpty()) {
                inTransit.remove(choices.below(inTransit.size()));
            }
        }

        /** Passes a truncated or modified copy of a datagram to the peer. */
        void forge() {
            byte[] datagram = inTransit.isEmpty() ? new byte[choices.below(60)] : inTransit.get(choices.below(inTransit.size())).clone();
            if (datagram.length == 0 || !hostile) {
                byte[] cut = Arrays.copyOf(datagram, Math.min(datagram.length, choices.below(SegmentHeader.LENGTH)));
                if (peer.driven.inputBytes(cut) == InputResult.ACCEPTED) {
                    throw new AssertionError("accepted " + cut.length + " bytes");
                }
                return;
            }
            int changes = 1 + choices.below(4);
            for (int i = 0; i < changes; i++) {
                int at = choices.below(4) == 0 ? choices.below(datagram.length) : choices.below(Math.min(datagram.length, 24));
                datagram[at] = (byte) choices.below(256);
            }
            peer.driven.inputBytes(datagram);
            tainted = true;
            peer.tainted = true;
        }

        void small() {
            switch (choices.below(4)) {
                case 0 -> driven.kcp.ping(driven.nowMs());
                case 1 -> driven.kcp.detachReceived();
                case 2 -> driven.kcp.linkState(driven.nowMs());
                default -> driven.inputRecovered(WireSegment.wins(choices.below(65_536)).withUna(Integer.MIN_VALUE));
            }
        }

        void read(int most) {
            for (int i = 0; i < most; i++) {
                byte[] message = driven.receive();
                if (message == null) {
                    return;
                }
                if (tainted) {
                    continue;
                }
                for (int at = 0; at < message.length; at++) {
                    if (message[at] != content(peer.number, readBytes + at)) {
                        throw new AssertionError("byte " + (readBytes + at) + " of side " + peer.number + " is wrong");
                    }
                }
                readBytes += message.length;
                if (mode == KcpTransferMode.MESSAGE && message.length != peer.messages.get(readMessages++)) {
                    throw new AssertionError("message " + (readMessages - 1) + " has " + message.length + " bytes");
                }
            }
        }

        void check() {
            Kcp kcp = driven.kcp;
            if (kcp.waitingSegments() < 0 || kcp.unacknowledgedBytes() < 0 || kcp.unacknowledgedBytes() > writtenBytes) {
                throw new AssertionError("impossible counts: " + this);
            }
            if (kcp.isIdle() && kcp.unacknowledgedBytes() != 0 || kcp.nextDeadline(driven.nowMs()) < 0) {
                throw new AssertionError("impossible state: " + this);
            }
            if (!kcp.isIdle() && kcp.nextDeadline(driven.nowMs()) > LONGEST_SLEEP_MS) {
                throw new AssertionError("deadline too late: " + this);
            }
            long reached = bytesThatReachedThePeer.values().stream().mapToLong(Integer::longValue).sum();
            if (!tainted && writtenBytes - kcp.unacknowledgedBytes() > reached) {
                throw new AssertionError("acknowledged bytes that never arrived: " + this);
            }
        }

        void checkComplete() {
            if (!tainted && (readBytes != peer.writtenBytes || mode == KcpTransferMode.MESSAGE && readMessages != peer.messages.size())) {
                throw new AssertionError("side " + number + " read " + readBytes + " of " + peer.writtenBytes + " bytes");
            }
        }

        @Override
        public String toString() {
            return "side " + number + " (wrote " + writtenBytes + ", read " + readBytes + " of " + peer.writtenBytes + ", "
                + driven.kcp.waitingSegments() + " segments and " + driven.kcp.unacknowledgedBytes() + " bytes wait, peer's window "
                + driven.kcp.remoteWindow() + ", due in " + driven.kcp.nextDeadline(driven.nowMs()) + ", " + driven.kcp.config() + ')';
        }
    }

    private static byte content(int side, long position) {
        return (byte) ((position * 0x9E3779B97F4A7C15L >>> 56) + side);
    }
}
