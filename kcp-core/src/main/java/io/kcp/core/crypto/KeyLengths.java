package io.kcp.core.crypto;

/**
 * Describes the key lengths in bytes that a cipher accepts.
 *
 * @param kcptun number of bytes that kcptun uses of the 32 bytes derived from a password
 * @param min    minimum length
 * @param max    maximum length
 * @param step   difference between one accepted length and the next
 */
record KeyLengths(int kcptun, int min, int max, int step) {

    static KeyLengths exactly(int bytes) {
        return new KeyLengths(bytes, bytes, bytes, 1);
    }

    static KeyLengths atLeast(int bytes) {
        return new KeyLengths(KcptunKey.BYTES, bytes, Integer.MAX_VALUE, 1);
    }

    boolean accept(int bytes) {
        return bytes >= min && bytes <= max && (bytes - min) % step == 0;
    }

    @Override
    public String toString() {
        if (min == max) {
            return Integer.toString(min);
        }
        if (max == Integer.MAX_VALUE) {
            return "at least " + min;
        }
        return min + " to " + max + (step == 1 ? "" : " in steps of " + step);
    }
}
