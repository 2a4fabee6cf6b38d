package io.kcp.core.crypto;

/** A block cipher with its key; only enciphering, as CFB mode never needs the other way. Belongs to one thread. */
interface BlockFunction {

    /** Bytes of a block, 8 or 16. */
    int blockBytes();

    /** Enciphers one block. */
    void encipher(byte[] from, int fromOffset, byte[] to, int toOffset);

    /**
     * Enciphers blocks that follow each other, none of which depends on another. Working on several at once is worth it
     * where a round waits for the round before: the processor has time for the others in between.
     */
    default void encipherAll(byte[] from, int fromOffset, byte[] to, int toOffset, int blocks) {
        int bytes = blocks * blockBytes();
        for (int i = 0; i < bytes; i += blockBytes()) {
            encipher(from, fromOffset + i, to, toOffset + i);
        }
    }
}
