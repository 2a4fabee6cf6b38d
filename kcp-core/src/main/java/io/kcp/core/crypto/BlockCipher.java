package io.kcp.core.crypto;

/** A block cipher with its key; only enciphering, as CFB mode never needs the other way. Belongs to one thread. */
interface BlockFunction {

    /** Bytes of a block, 8 or 16. */
    int blockBytes();

    /** Enciphers one block. */
    void encipher(byte[] from, int fromOffset, byte[] to, int toOffset);

    /** Enciphers two blocks that follow each other; worth a way of its own where a round waits for the round before. */
    default void encipherTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        encipher(from, fromOffset, to, toOffset);
        encipher(from, fromOffset + blockBytes(), to, toOffset + blockBytes());
    }

    /** Enciphers blocks that follow each other, none of which depends on another. */
    default void encipherAll(byte[] from, int fromOffset, byte[] to, int toOffset, int blocks) {
        int last = (blocks - 1) * blockBytes();
        for (int i = 0; i < last; i += 2 * blockBytes()) {
            encipherTwo(from, fromOffset + i, to, toOffset + i);
        }
        if ((blocks & 1) == 1) {
            encipher(from, fromOffset + last, to, toOffset + last);
        }
    }
}
