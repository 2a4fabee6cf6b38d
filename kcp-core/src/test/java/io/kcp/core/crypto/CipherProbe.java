package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Seals and opens one datagram with every cipher. {@link WithoutBouncyCastleTest} runs this class in a separate class loader. */
public final class CipherProbe {

    private static final byte[] PAYLOAD = "payload".getBytes(StandardCharsets.UTF_8);

    private CipherProbe() {
    }

    /** Returns the names of all ciphers that opened their own datagram. */
    public static List<String> usableCiphers() {
        List<String> usable = new ArrayList<>();
        for (String cipherName : CryptoConfig.names()) {
            if (!cipherName.equals("cast5") && sealsAndOpens(cipherName)) {
                usable.add(cipherName);
            }
        }
        return usable;
    }

    /** Creates a configuration for CAST5. */
    public static void cast5() {
        CryptoConfig.kcptun("cast5", "password");
    }

    private static boolean sealsAndOpens(String cipherName) {
        DatagramCipher cipher = CryptoConfig.kcptun(cipherName, "password").newCipher(new Random(1)::nextBytes);
        ByteBuf datagram = Unpooled.buffer().writeZero(cipher.headBytes()).writeBytes(PAYLOAD).readerIndex(cipher.headBytes());
        cipher.seal(datagram);
        return cipher.open(datagram) && Arrays.equals(ByteBufUtil.getBytes(datagram), PAYLOAD);
    }
}
