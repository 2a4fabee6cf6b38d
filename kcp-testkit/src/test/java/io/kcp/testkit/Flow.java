package io.kcp.testkit;

import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A one-way transfer over a {@link Bottleneck}: a sending and a receiving conversation and their links. Unless the options say otherwise,
 * the reverse direction has the same delay, no rate limit and no losses. All times are virtual.
 */
final class Flow {

    private static final long NEVER = Long.MAX_VALUE;
    private static final int HISTOGRAM_US = 100;

    private final SimulatedNetwork network;
    private final Bottleneck bottleneck;
    private final ByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);
    private final End sender;
    private final End receiver;
    private long oneWayUs;
    private final SplittableRandom random;
    private final ByteBuf payload;
    private final int conv;
    private final boolean fineClock;
    private final long jitterUs;
    private final double acknowledgementLoss;
    private final long acknowledgementStepUs;
    private final @Nullable Bottleneck reverse;
    private final long reverseDelayUs;
    private final long stallFromUs;
    private final long stallToUs;
    private long latestArrivalUs;
    private final long startUs;
    private boolean bulk;

    // Measurements.
    private long sentDatagrams;
    private long queueDrops;
    private long queueDropsAfterStart;
    private long sentAfterStart;
    private long lostDatagrams;
    private long deliveredBytes;
    private final long measureFromUs;
    private final int binUs;
    private final long[] arrivedByBin;
    private final long[] deliveredByBin;
    private final int[] queueDelays = new int[100_000];
    private long queueDelayCount;
    private final int[] maxQueueByBin;
    private final ArrayDeque<Long> writtenAtUs = new ArrayDeque<>();
    private final List<Long> deliveryUs = new ArrayList<>();
    private long maxHeldBytes;

    Flow(SimulatedNetwork network, Bottleneck bottleneck, KcpConfig config, long roundTripUs, long seed, Options options) {
        this.network = network;
        this.bottleneck = bottleneck;
        random = new SplittableRandom(seed);
        oneWayUs = roundTripUs / 2;
        fineClock = options.fineClock;
        jitterUs = options.jitterUs;
        acknowledgementLoss = options.acknowledgementLoss;
        acknowledgementStepUs = options.acknowledgementStepUs;
        reverse = options.reverse;
        reverseDelayUs = options.reverseDelayUs;
        stallFromUs = options.stallFromUs;
        stallToUs = options.stallToUs;
        binUs = options.binUs;
        int bins = (int) (options.durationUs / binUs) + 1;
        arrivedByBin = new long[bins];
        deliveredByBin = new long[bins];
        maxQueueByBin = new int[bins];
        measureFromUs = options.measureFromUs;
        startUs = options.startUs;
        bulk = options.bulk;
        conv = (int) seed;
        int firstClock = random.nextInt();
        int base = random.nextInt();
        sender = new End(config, firstClock, base, true);
        receiver = new End(config, firstClock, ~base, false);
        payload = Unpooled.wrappedBuffer(new byte[options.messageBytes > 0 ? options.messageBytes : sender.kcp.mssBytes()]);
        if (options.peers == PeerKind.THIS_LIBRARY) {
            introduce(options.durationUs);
        }
        network.schedule(startUs, sender::step);
    }

    /** Lets both conversations recognize each other, and lets the receiver measure the round trip, as the sessions of kcp-netty do. */
    private void introduce(long durationUs) {
        sender.kcp.closeNotice().setEnabled(true);
        receiver.kcp.closeNotice().setEnabled(true);
        for (long us = startUs; us < durationUs; us += 10_000_000) {
            network.schedule(us, () -> {
                receiver.kcp.send(Unpooled.EMPTY_BUFFER, receiver.nowMs());
                receiver.step();
            });
        }
    }

    /** Settings of a flow. */
    static final class Options {
        boolean fineClock = true;
        boolean bulk = true;
        long jitterUs;
        double acknowledgementLoss;
        /** Time between two releases of all acknowledgements that have arrived, as of an aggregating Wi-Fi link; 0 for no such link. */
        long acknowledgementStepUs;
        /** Link of the acknowledgements; null for one without a rate. */
        @Nullable Bottleneck reverse;
        /** Delay of the acknowledgements; -1 for half of the round trip. */
        long reverseDelayUs = -1;
        /** Period in which the receiver processes no datagram. Datagrams that arrive are processed afterwards. */
        long stallFromUs = NEVER;
        long stallToUs = NEVER;
        long durationUs = 60_000_000;
        long measureFromUs;
        long startUs;
        int binUs = 50_000;
        int messageBytes;
        /** The kind of both ends. Between peers of this library, the receiver sends an empty message every 10 s. */
        PeerKind peers = PeerKind.THIS_LIBRARY;
    }

    Kcp kcp() {
        return sender.kcp;
    }

    /** Writes one message, for a flow that is not bulk. */
    void write() {
        writtenAtUs.add(network.nowUs());
        sender.kcp.send(payload.retain(), sender.nowMs());
        sender.step();
    }

    /** Moves the receiver to another path: changes the round trip and notifies the sender. */
    void move(long roundTripUs) {
        oneWayUs = roundTripUs / 2;
        sender.kcp.path().onMoved(sender.nowMs());
        sender.step();
    }

    void bulk(boolean on) {
        bulk = on;
        sender.step();
    }

    // ---- results

    long deliveredBytes() {
        return deliveredBytes;
    }

    /** Returns a percentile of the times from {@link #write} until the message was read, in milliseconds. */
    double deliveryMs(double percentile) {
        long[] sorted = deliveryUs.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1, Math.round(sorted.length * percentile / 100))] / 1e3;
    }

    /** Returns the maximum memory in bytes that one of the two conversations has held. */
    long maxHeldBytes() {
        return maxHeldBytes;
    }

    /** Returns the payload bytes that the application received within a time. */
    long deliveredBytes(long fromUs, long toUs) {
        long sum = 0;
        for (int i = (int) (fromUs / binUs); i < Math.min(toUs / binUs, deliveredByBin.length); i++) {
            sum += deliveredByBin[i];
        }
        return sum;
    }

    /** Returns the time of the first arrival of data at or after a time. */
    long firstArrivalUs(long fromUs) {
        for (int i = (int) (fromUs / binUs); i < arrivedByBin.length; i++) {
            if (arrivedByBin[i] > 0) {
                return (long) i * binUs;
            }
        }
        return NEVER;
    }

    /** Returns the bytes, with all headers, that reached the receiver within a time. */
    long arrivedBytes(long fromUs, long toUs) {
        long sum = 0;
        for (int i = (int) (fromUs / binUs); i < Math.min(toUs / binUs, arrivedByBin.length); i++) {
            sum += arrivedByBin[i];
        }
        return sum;
    }

    double queueDropShare() {
        return sentAfterStart == 0 ? 0 : (double) queueDropsAfterStart / sentAfterStart;
    }

    double lossShare() {
        return (double) (queueDrops + lostDatagrams) / sentDatagrams;
    }

    /** Returns a percentile of the queueing delay of the datagrams in milliseconds. */
    double queueDelayMs(double percentile) {
        long rank = (long) Math.ceil(queueDelayCount * percentile / 100);
        long seen = 0;
        for (int i = 0; i < queueDelays.length; i++) {
            seen += queueDelays[i];
            if (seen >= rank) {
                return i * HISTOGRAM_US / 1e3;
            }
        }
        return queueDelays.length * HISTOGRAM_US / 1e3;
    }

    /** Returns the largest queueing delay within a time in milliseconds. */
    double maxQueueMs(long fromUs, long toUs) {
        return Arrays.stream(maxQueueByBin, (int) (fromUs / binUs), (int) Math.min(toUs / binUs, maxQueueByBin.length)).max().orElse(0)
            / 1e3;
    }

    void release() {
        sender.kcp.release();
        receiver.kcp.release();
    }

    // ---- the links

    private void sendData(ByteBuf datagram) {
        long nowUs = network.nowUs();
        int bytes = datagram.readableBytes();
        sentDatagrams++;
        boolean measured = nowUs >= measureFromUs;
        sentAfterStart += measured ? 1 : 0;
        long departureUs = bottleneck.transmit(bytes, nowUs);
        if (departureUs < 0) {
            queueDrops++;
            queueDropsAfterStart += measured ? 1 : 0;
            datagram.release();
            return;
        }
        long ownUs = (bytes + Bottleneck.FRAMING_BYTES) * 8_000_000L / bottleneck.bitsPerSecond(nowUs);
        int delayUs = (int) Math.max(0, departureUs - nowUs - ownUs);
        queueDelays[Math.min(delayUs / HISTOGRAM_US, queueDelays.length - 1)]++;
        queueDelayCount++;
        int bin = bin(nowUs);
        maxQueueByBin[bin] = Math.max(maxQueueByBin[bin], delayUs);
        if (bottleneck.loses()) {
            lostDatagrams++;
            datagram.release();
            return;
        }
        long arrivalUs = departureUs + oneWayUs;
        if (jitterUs > 0) {
            arrivalUs += random.nextLong(2 * jitterUs);
            arrivalUs = Math.max(arrivalUs, latestArrivalUs);
            latestArrivalUs = arrivalUs;
        }
        if (arrivalUs >= stallFromUs && arrivalUs < stallToUs) {
            arrivalUs = stallToUs;
        }
        network.schedule(arrivalUs, () -> {
            arrivedByBin[bin(network.nowUs())] += bytes + Bottleneck.FRAMING_BYTES;
            receiver.receive(datagram);
        });
    }

    private int bin(long us) {
        return (int) Math.min(us / binUs, arrivedByBin.length - 1);
    }

    private void sendAcknowledgement(ByteBuf datagram) {
        if (acknowledgementLoss > 0 && random.nextDouble() < acknowledgementLoss) {
            datagram.release();
            return;
        }
        long departureUs = network.nowUs();
        if (reverse != null) {
            departureUs = reverse.transmit(datagram.readableBytes(), departureUs);
            if (departureUs < 0 || reverse.loses()) {
                datagram.release();
                return;
            }
        }
        long arrivalUs = departureUs + (reverseDelayUs < 0 ? oneWayUs : reverseDelayUs);
        if (acknowledgementStepUs > 0) {
            arrivalUs = (arrivalUs / acknowledgementStepUs + 1) * acknowledgementStepUs;
        }
        network.schedule(arrivalUs, () -> sender.receive(datagram));
    }

    /** One of the two conversations and the code that drives it. */
    private final class End implements KcpOutput {

        private final Kcp kcp;
        private final int clockMs;
        private final boolean sending;
        private long alarmUs = NEVER;

        End(KcpConfig config, int clockMs, int timestampBase, boolean sending) {
            this.clockMs = clockMs;
            this.sending = sending;
            kcp = new Kcp(conv, config, this, buffers, timestampBase, clockMs);
        }

        int nowMs() {
            return clockMs + (int) (network.nowUs() / 1_000);
        }

        void receive(ByteBuf datagram) {
            InputResult result = fineClock ? kcp.input(datagram, false, nowMs(), network.nowUs())
                : kcp.input(datagram, false, nowMs());
            if (result != InputResult.ACCEPTED) {
                throw new AssertionError("rejected: " + result);
            }
            datagram.release();
            step();
        }

        void step() {
            int nowMs = nowMs();
            maxHeldBytes = Math.max(maxHeldBytes, kcp.memory().bytes());
            for (ByteBuf message = kcp.receive(); message != null; message = kcp.receive()) {
                deliveredBytes += message.readableBytes();
                deliveredByBin[bin(network.nowUs())] += message.readableBytes();
                if (!writtenAtUs.isEmpty()) {
                    deliveryUs.add(network.nowUs() - writtenAtUs.remove());
                }
                message.release();
            }
            if (sending && bulk && network.nowUs() >= startUs) {
                while (kcp.canSend()) {
                    kcp.send(payload.retain(), nowMs);
                }
            }
            int waitMs = kcp.nextDeadline(nowMs);
            for (int i = 0; i < 2 && waitMs == 0; i++) {
                if (fineClock) {
                    kcp.flush(nowMs, Integer.MAX_VALUE, network.nowUs());
                } else {
                    kcp.flush(nowMs);
                }
                waitMs = kcp.nextDeadline(nowMs);
            }
            if (waitMs != Kcp.NO_DEADLINE) {
                long atUs = fineClock ? network.nowUs() + Math.max(waitMs, 1) * 1_000L
                    : (network.nowUs() / 1_000 + Math.max(waitMs, 1)) * 1_000;
                if (atUs < alarmUs) {
                    alarmUs = atUs;
                    network.schedule(atUs, this::onAlarm);
                }
            }
        }

        private void onAlarm() {
            if (network.nowUs() == alarmUs) {
                alarmUs = NEVER;
                step();
            }
        }

        @Override
        public int overheadBytes() {
            return 0;
        }

        @Override
        public ByteBuf allocate(int datagramBytes) {
            return buffers.heapBuffer(datagramBytes);
        }

        @Override
        public void write(ByteBuf datagram) {
            if (sending) {
                sendData(datagram);
            } else {
                sendAcknowledgement(datagram);
            }
        }
    }
}
