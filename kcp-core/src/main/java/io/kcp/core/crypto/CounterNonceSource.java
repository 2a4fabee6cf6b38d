package io.kcp.core.crypto;

/** The nonces of one thread's cipher, made from the counters of a {@link NonceKey}, many at a time. */
final class CounterNonceSource implements NonceSource {

    private static final int NONCES_PER_BATCH = 64;

    private final NonceKey key;
    private final boolean recognising;
    private final Entropy entropy;
    private final Xtea permutation;
    private final int[] highs = new int[NONCES_PER_BATCH];
    private final int[] lows = new int[NONCES_PER_BATCH];
    private int position = NONCES_PER_BATCH;
    private long counter;
    private int left;

    /**
     * Creates a source of nonces.
     *
     * @param key         the key, shared with other sources
     * @param recognising if {@link #isOwn} recognises the nonces of all sources of the key, otherwise none
     * @param entropy     where the fresh bits of each run come from
     */
    CounterNonceSource(NonceKey key, boolean recognising, Entropy entropy) {
        this.key = key;
        this.recognising = recognising;
        this.entropy = entropy;
        permutation = key.newPermutation();
    }

    @Override
    public void next(byte[] target, int length) {
        if (position == NONCES_PER_BATCH) {
            refill();
        }
        long first = (long) highs[position] << Integer.SIZE | lows[position] & 0xFFFFFFFFL;
        position++;
        long tag = key.tag(first);
        Words.putLongLE(target, 0, first);
        if (length == MAX_BYTES) {
            Words.putLongLE(target, Long.BYTES, tag);
        } else {
            Words.putIntLE(target, Long.BYTES, (int) tag);
        }
    }

    @Override
    public boolean isOwn(byte[] bytes, int offset, int length) {
        return recognising && key.isOwn(bytes, offset, length);
    }

    private void refill() {
        if (left == 0) {
            counter = key.nextRun(entropy);
            left = NonceKey.NONCES_PER_RUN;
        }
        left -= NONCES_PER_BATCH;
        for (int i = 0; i < NONCES_PER_BATCH; i++) {
            highs[i] = (int) (counter >>> Integer.SIZE);
            lows[i] = (int) counter++;
        }
        permutation.encipher(highs, lows, NONCES_PER_BATCH);
        position = 0;
    }
}
