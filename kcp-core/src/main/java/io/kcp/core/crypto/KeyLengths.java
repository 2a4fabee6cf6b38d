package io.kcp.core.crypto;

/**
 * The keys that a cipher takes, in bytes.
 *
 * @param kcptun how much it takes of the 32 bytes that kcptun derives from a password
 * @param min    the shortest
 * @param max    the longest
 * @param step   between one length and the next
 */
record KeyLengths(int kcptun, int min, int max, int step) {

    static KeyLengths exactly(int bytes) {
        return new KeyLengths(bytes, bytes, bytes, 1);
    }

    static KeyLengths atLeast(int bytes) {
        return new KeyLengths(KcptunKey.BYTES, bytes, Integer.MAX_VALUE, 1);
    }

    boolean fits(int bytes) {
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
