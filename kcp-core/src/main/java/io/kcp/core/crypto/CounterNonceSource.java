package io.kcp.core.crypto;

/** Generates nonces for the cipher of one thread by encrypting counters with a {@link NonceKey}, in batches. */
final class CounterNonceSource implements NonceSource {

    private static final int NONCES_PER_BATCH = 64;

    private final NonceKey key;
    private final boolean recognisesOwn;
    private final Entropy entropy;
    private final Xtea permutation;
    private final int[] highs = new int[NONCES_PER_BATCH];
    private final int[] lows = new int[NONCES_PER_BATCH];
    private int position = NONCES_PER_BATCH;
    private long counter;
    private int remainingOfRange;

    /**
     * Creates a source of nonces.
     *
     * @param key           the key, shared with other sources
     * @param recognisesOwn {@code true} if {@link #isOwn} recognizes the nonces of all sources with this key, {@code false} if it
     *                      recognizes none
     * @param entropy       the source of the random bits of each range
     */
    CounterNonceSource(NonceKey key, boolean recognisesOwn, Entropy entropy) {
        this.key = key;
        this.recognisesOwn = recognisesOwn;
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
        return recognisesOwn && key.isOwn(bytes, offset, length);
    }

    private void refill() {
        if (remainingOfRange == 0) {
            counter = key.nextRange(entropy);
            remainingOfRange = NonceKey.NONCES_PER_RANGE;
        }
        remainingOfRange -= NONCES_PER_BATCH;
        for (int i = 0; i < NONCES_PER_BATCH; i++) {
            highs[i] = (int) (counter >>> Integer.SIZE);
            lows[i] = (int) counter++;
        }
        permutation.encryptLanes(highs, lows, NONCES_PER_BATCH);
        position = 0;
    }
}
