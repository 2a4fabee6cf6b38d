package io.kcp.core.crypto;

/**
 * Base class of the ciphers TEA and XTEA, whose blocks consist of two 32-bit words and whose rounds use no tables. To encrypt many blocks,
 * the class stores their first words in one array and their second words in another. Each round then processes all blocks in a loop that
 * the JIT compiler vectorizes.
 */
abstract class TeaFamilyCipher implements BlockCipher {

    static final int DELTA = 0x9E3779B9;

    private static final int BLOCK_BYTES = 8;

    private int[] firsts = new int[256];
    private int[] seconds = new int[256];

    @Override
    public final int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public final void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        Words.putLongBE(to, toOffset, encryptBlock(Words.intBE(from, fromOffset), Words.intBE(from, fromOffset + 4)));
    }

    @Override
    public final void encryptBlocks(byte[] from, int fromOffset, byte[] to, int toOffset, int blocks) {
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
        encryptLanes(v0, v1, blocks);
        for (int i = 0; i < blocks; i++) {
            Words.putLongBE(to, toOffset + i * BLOCK_BYTES, (long) v0[i] << 32 | v1[i] & 0xFFFFFFFFL);
        }
    }

    /** Encrypts one block and returns it with its first word in the upper half of the result. */
    abstract long encryptBlock(int first, int second);

    /** Encrypts the first {@code count} blocks of the arrays in place. */
    abstract void encryptLanes(int[] firsts, int[] seconds, int count);
}
