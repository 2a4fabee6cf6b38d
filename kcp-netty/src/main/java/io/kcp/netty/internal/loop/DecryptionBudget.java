package io.kcp.netty.internal.loop;

import java.util.concurrent.TimeUnit;

/**
 * Limits the share of an event loop's time that is spent on decrypting datagrams. The time is measured only while useless datagrams arrive,
 * which are datagrams that cannot be decrypted or that do not open a session. At all other times, a datagram requires neither a clock
 * reading nor a lookup of its address.
 *
 * <p>All sockets of an event loop share two budgets. One budget is for datagrams from unknown addresses, which are addresses without an
 * open session. The other budget is for datagrams from known addresses that cannot be decrypted. This class is used on that event loop
 * only.
 */
public final class DecryptionBudget {

    /** Time in nanoseconds that is subtracted from the budget for a useless datagram whose decryption was not measured. */
    static final long UNMEASURED_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    /** Time in nanoseconds for which the budget counts as used up after it has refused a datagram. */
    private static final long USED_UP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int QUARTERS = 4;
    /** Factor by which the reserve is charged, so that it provides a tenth of the time. */
    private static final int RESERVE_FACTOR = 10;

    private final TimeBudget time = new TimeBudget(0);
    /** Time for addresses that yield to others, so that no flood from other addresses locks them out. */
    private final TimeBudget reserve = new TimeBudget(0);
    private boolean usesReserve;
    private long refusedAtNanos;
    private boolean refused;
    private boolean measuring;
    private boolean charging;

    /**
     * Returns {@code true} if useless datagrams arrived recently, so that the time of decryptions must be measured.
     */
    public boolean isMeasuring() {
        return measuring;
    }

    /** Returns {@code true} if the budget has refused a datagram within the last second. */
    public boolean isUsedUp(long nowNanos) {
        return refused && nowNanos - refusedAtNanos < USED_UP_NANOS;
    }

    /** Adds the time that has become available since the latest call, and stops measuring when the whole budget is available again. */
    public void refill(long nowNanos, int percent) {
        time.refill(nowNanos, percent);
        reserve.refill(nowNanos, percent);
        if (time.leftNanos() == TimeBudget.CAPACITY_NANOS && !isUsedUp(nowNanos)) {
            measuring = false;
        }
    }

    /**
     * Returns {@code true} if the next datagram from an unknown address may be decrypted. The time of its decryption is then measured. A
     * tenth of the time is available to addresses whose {@code quartersToOthers} is above 0, even if the other addresses use up the rest.
     *
     * @param quartersToOthers the part of the capacity, in quarters, that is reserved for addresses with a lower number
     */
    public boolean begin(long nowNanos, int percent, int quartersToOthers) {
        refill(nowNanos, percent);
        boolean hasTime = time.leftNanos() > quartersToOthers * (TimeBudget.CAPACITY_NANOS / QUARTERS);
        usesReserve = !hasTime && quartersToOthers > 0 && reserve.mayBegin();
        charging = hasTime || usesReserve;
        if (!charging) {
            onRefused(nowNanos);
        }
        return charging;
    }

    private void onRefused(long nowNanos) {
        refused = true;
        refusedAtNanos = nowNanos;
    }

    /** Returns {@code true} if the budget is not used up. */
    public boolean mayDecrypt(long nowNanos, int percent) {
        refill(nowNanos, percent);
        if (!time.mayBegin()) {
            onRefused(nowNanos);
            return false;
        }
        return true;
    }

    /** Returns {@code true} if the decryption time of the current datagram must be measured. */
    public boolean isCharging() {
        return charging;
    }

    /** Subtracts the measured time of a decryption from the budget. */
    public void charge(long nanos) {
        charging = false;
        time.charge(nanos);
        if (usesReserve) {
            usesReserve = false;
            reserve.charge(RESERVE_FACTOR * nanos);
        }
    }

    /** Records a useless datagram whose decryption was not measured, and starts measuring. */
    public void onUseless(long nowNanos) {
        if (!measuring) {
            measuring = true;
            time.fill(nowNanos);
            time.charge(UNMEASURED_NANOS);
            reserve.fill(nowNanos);
        }
    }
}
