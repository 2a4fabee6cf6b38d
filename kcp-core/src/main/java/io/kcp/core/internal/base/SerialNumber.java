package io.kcp.core.internal.base;

/**
 * Compares wrapping 32-bit numbers ({@code sn}, {@code una}, {@code ts}) as defined in RFC 1982: {@code a} is after {@code b} if the signed
 * difference {@code a - b} is positive. Such numbers are added and subtracted like any {@code int}.
 */
public final class SerialNumber {

    private SerialNumber() {
    }

    /**
     * Returns the signed distance from {@code b} to {@code a}, which is negative if {@code a} is before {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return the signed distance
     */
    public static int diff(int a, int b) {
        return a - b;
    }

    /**
     * Returns {@code true} if {@code a} is after {@code b} in serial number order.
     *
     * @param a a serial number
     * @param b a serial number
     * @return {@code true} if the distance from {@code b} to {@code a} is positive
     */
    public static boolean isAfter(int a, int b) {
        return a - b > 0;
    }

    /**
     * Returns {@code true} if {@code a} is before {@code b} in serial number order.
     *
     * @param a a serial number
     * @param b a serial number
     * @return {@code true} if the distance from {@code b} to {@code a} is negative
     */
    public static boolean isBefore(int a, int b) {
        return a - b < 0;
    }
}
