package io.kcp.core;

/**
 * The order of wrapping 32-bit numbers ({@code sn}, {@code una}, {@code ts}), as defined in RFC 1982 for 32 bits: {@code a} is
 * after {@code b} if the signed difference {@code a - b} is positive. Ordinary addition and subtraction are correct.
 */
public final class SerialNumber {

    private SerialNumber() {
    }

    /**
     * Returns the distance from {@code b} to {@code a}, negative if {@code a} is before {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return the signed distance
     */
    public static int diff(int a, int b) {
        return a - b;
    }

    /**
     * Returns whether {@code a} is after {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return {@code true} if the distance from {@code b} to {@code a} is positive
     */
    public static boolean isAfter(int a, int b) {
        return a - b > 0;
    }

    /**
     * Returns whether {@code a} is before {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return {@code true} if the distance from {@code b} to {@code a} is negative
     */
    public static boolean isBefore(int a, int b) {
        return a - b < 0;
    }
}
