package io.kcp.core.crypto;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Opens arbitrary bytes. They either open or stay unchanged, no exception is thrown, and the cipher still works afterwards. The
 * first byte of an input selects the cipher. A normal build replays the saved inputs; {@code JAZZER_FUZZ=1} searches for new
 * inputs.
 */
class DatagramCipherFuzzTest {

    private static final List<String> NAMES = CryptoConfig.names();
    private static final DatagramCipher[] CIPHERS = new DatagramCipher[NAMES.size()];

    @FuzzTest(maxDuration = "60s")
    void arbitraryDatagramsNeverThrow(byte[] input) {
        if (input.length == 0) {
            return;
        }
        LeakCheck leaks = new LeakCheck(false);
        DatagramCipher cipher = cipher((input[0] & 0xFF) % NAMES.size());
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        ByteBuf datagram = leaks.allocator().directBuffer().writeBytes(bytes);
        boolean opened = cipher.open(datagram);
        if (opened) {
            check(datagram.readableBytes() == bytes.length - cipher.headBytes() - cipher.tailBytes(), "the payload has the wrong length");
        } else {
            check(datagram.readerIndex() == 0 && Arrays.equals(ByteBufUtil.getBytes(datagram), bytes), "a rejected datagram was changed");
        }
        datagram.release();

        ByteBuf own = leaks.allocator().heapBuffer().writeZero(cipher.headBytes()).writeBytes(bytes).readerIndex(cipher.headBytes());
        cipher.seal(own);
        check(cipher.open(own) && Arrays.equals(ByteBufUtil.getBytes(own), bytes), "a sealed datagram did not open");
        own.release();
        leaks.verify();
    }

    private static DatagramCipher cipher(int index) {
        if (CIPHERS[index] == null) {
            CIPHERS[index] = CryptoConfig.kcptun(NAMES.get(index), "it's a secrect").newCipher(new Random(index)::nextBytes);
        }
        return CIPHERS[index];
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
