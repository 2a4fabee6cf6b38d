package io.kcp.core.crypto;

/**
 * XORs packets with a table of 1,500 bytes that is derived from the key, as in kcp-go. No datagram of kcp-go is longer than the table. For
 * longer datagrams, the table is repeated.
 */
final class XorTransform implements ArrayDatagramCipher {

    static final int TABLE_BYTES = 1500;

    private static final String SALT = "sH3CIVoF#rWLtJo6";
    private static final int ITERATIONS = 32;

    /** The key table, repeated often enough to cover the longest packet so far. */
    private byte[] mask;

    XorTransform(byte[] table) {
        mask = table;
    }

    static byte[] table(byte[] key) {
        return KcptunKey.pbkdf2(key, SALT, ITERATIONS, TABLE_BYTES);
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        if (length > mask.length) {
            byte[] longer = new byte[packet.length];
            for (int i = 0; i < longer.length; i++) {
                longer[i] = mask[i % TABLE_BYTES];
            }
            mask = longer;
        }
        Words.xor(packet, mask, length);
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        encrypt(packet, length);
    }
}
