package io.kcp.core.crypto;

/**
 * What TEA and XTEA have in common: blocks of two words, rounds without tables. Enciphering many blocks, the first words
 * lie in one array and the second words in another, and each round goes over all of them: the JIT makes vector
 * instructions of such loops.
 */
abstract class LaneCipher implements BlockFunction {

    static final int DELTA = 0x9E3779B9;

    private static final int BLOCK_BYTES = 8;

    private int[] firsts = new int[256];
    private int[] seconds = new int[256];

    @Override
    public final int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public final void encipher(byte[] from, int fromOffset, byte[] to, int toOffset) {
        Words.putLongBE(to, toOffset, encipher(Words.intBE(from, fromOffset), Words.intBE(from, fromOffset + 4)));
    }

    @Override
    public final void encipherAll(byte[] from, int fromOffset, byte[] to, int toOffset, int blocks) {
        if (firsts.length < blocks) {
            firsts = new int[blocks];
            seconds = new int[blocks];
        }
        int[] v0 = firsts;
        int[] v1 = seconds;
        for (int i = 0; i < blocks; i++) {
            long block = Words.longBE(from, fromOffset + i * BLOCK_BYTES);
            v0[i] = (int) (block >>> 32);
            v1[i] = (int) block;
        }
        encipher(v0, v1, blocks);
        for (int i = 0; i < blocks; i++) {
            Words.putLongBE(to, toOffset + i * BLOCK_BYTES, (long) v0[i] << 32 | v1[i] & 0xFFFFFFFFL);
        }
    }

    /** Enciphers one block; the first word is the upper half of the result. */
    abstract long encipher(int first, int second);

    /** Enciphers the first {@code count} blocks in place. */
    abstract void encipher(int[] firsts, int[] seconds, int count);
}
