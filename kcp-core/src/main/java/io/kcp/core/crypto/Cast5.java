package io.kcp.core.crypto;

import org.bouncycastle.crypto.engines.CAST5Engine;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * Implements the block cipher CAST5 with 16 rounds, using BouncyCastle. The JDK does not offer this cipher, and a separate implementation
 * would need the same tables and would not be much faster.
 */
final class Cast5 implements BlockCipher {

    private static final int BLOCK_BYTES = 8;

    private final CAST5Engine engine = new CAST5Engine();

    Cast5(byte[] key) {
        engine.init(true, new KeyParameter(key));
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        engine.processBlock(from, fromOffset, to, toOffset);
    }
}
