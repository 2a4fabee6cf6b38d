package io.kcp.core;

/**
 * Order of wrapping 32-bit numbers ({@code sn}, {@code una}, {@code ts}), as RFC 1982 has it for 32 bits: {@code a} is
 * after {@code b} when the signed difference {@code a - b} is positive. Adding and subtracting needs nothing special.
 */
public final class SerialNumber {

    private SerialNumber() {
    }

    /**
     * Returns how far {@code a} is after {@code b}; negative when it is before.
     *
     * @param a a serial number
     * @param b a serial number
     * @return the signed distance
     */
    public static int diff(int a, int b) {
        return a - b;
    }

    /**
     * Tells whether {@code a} comes after {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return whether the distance from {@code b} to {@code a} is positive
     */
    public static boolean isAfter(int a, int b) {
        return a - b > 0;
    }

    /**
     * Tells whether {@code a} comes before {@code b}.
     *
     * @param a a serial number
     * @param b a serial number
     * @return whether the distance from {@code b} to {@code a} is negative
     */
    public static boolean isBefore(int a, int b) {
        return a - b < 0;
    }
}
