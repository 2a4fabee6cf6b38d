package io.kcp.core.crypto;

import org.bouncycastle.crypto.engines.CAST5Engine;
import org.bouncycastle.crypto.params.KeyParameter;

/** CAST5 with 16 rounds, of BouncyCastle: neither has the JDK it nor would ours, with the same tables, be much faster. */
final class Cast5 implements BlockFunction {

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
    public void encipher(byte[] from, int fromOffset, byte[] to, int toOffset) {
        engine.processBlock(from, fromOffset, to, toOffset);
    }
}
