package io.kcp.netty;

import java.util.Arrays;

/** Reads the choices of a fuzz test from the bytes of its input. After the last byte, every choice is 0. */
final class FuzzChoices {

    /** Limit values of header fields. */
    private static final int[] LIMITS = {0, 1, 2, 127, 128, 129, 255, 256, 1_376, 1_400, 1_500, 65_535, 65_536, Integer.MAX_VALUE,
        Integer.MIN_VALUE, -1, -2, -128};

    private final byte[] input;
    private int at;

    FuzzChoices(byte[] input) {
        this.input = input;
    }

    boolean hasMore() {
        return at < input.length;
    }

    private int next() {
        return at < input.length ? input[at++] & 0xff : 0;
    }

    /** Returns a number from 0 to {@code bound - 1}. */
    int below(int bound) {
        int value = bound <= 256 ? next() : next() << 8 | next();
        return value % bound;
    }

    boolean coin() {
        return below(2) == 1;
    }

    /** Returns {@code true} with a probability of 1 in {@code bound}. After the last byte of the input, the result is {@code false}. */
    boolean oneIn(int bound) {
        return below(bound) == bound - 1;
    }

    /** Returns a limit value of a header field, or a number close to the given number. */
    int numberNear(int center) {
        int choice = next();
        return choice < 128 ? LIMITS[choice % LIMITS.length] : center + choice - 192;
    }

    /** Returns the next bytes of the input, at most {@code length}. */
    byte[] bytes(int length) {
        byte[] taken = Arrays.copyOfRange(input, Math.min(at, input.length), Math.min(at + length, input.length));
        at += taken.length;
        return taken;
    }
}
