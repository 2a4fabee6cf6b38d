package io.kcp.core.crypto;

/** A block cipher with its key. It can only encrypt, because CFB mode never decrypts blocks. An instance is used by one thread. */
interface BlockCipher {

    /** Returns the block length, which is 8 or 16 bytes. */
    int blockBytes();

    /** Encrypts one block. */
    void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset);

    /**
     * Encrypts two adjacent blocks. Ciphers override this method to interleave the rounds of both blocks, because the rounds of a single
     * block depend on each other and leave the processor idle.
     */
    default void encryptTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        encrypt(from, fromOffset, to, toOffset);
        encrypt(from, fromOffset + blockBytes(), to, toOffset + blockBytes());
    }

    /** Encrypts {@code blocks} adjacent blocks, each independently of the others. */
    default void encryptBlocks(byte[] from, int fromOffset, byte[] to, int toOffset, int blocks) {
        int last = (blocks - 1) * blockBytes();
        for (int i = 0; i < last; i += 2 * blockBytes()) {
            encryptTwo(from, fromOffset + i, to, toOffset + i);
        }
        if ((blocks & 1) == 1) {
            encrypt(from, fromOffset + last, to, toOffset + last);
        }
    }
}
