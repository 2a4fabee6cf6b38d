package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares sealed datagrams with those of kcp-go byte for byte, and opens datagrams of kcp-go. */
@Tag("jdk")
class CipherVectorTest {

    /** In datagrams longer than this, a test flips every ninth bit instead of every bit. */
    private static final int SHORT_BYTES = 200;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    static List<CipherVectors> ciphers() {
        return CipherVectors.load();
    }

    @Test
    void everyCipherHasVectors() {
        assertThat(ciphers()).extracting(CipherVectors::cipherName)
            .containsExactlyInAnyOrderElementsOf(CryptoConfig.names().stream()
                .filter(name -> !name.equals("null")).toList());
        assertThat(ciphers()).allSatisfy(cipher -> assertThat(cipher.vectors()).hasSize(15));
    }

    @ParameterizedTest
    @MethodSource("ciphers")
    void sealsTheSameBytesAsKcpGo(CipherVectors cipher) {
        for (CipherVectors.Vector vector : cipher.vectors()) {
            DatagramCipher sealing = cipher.cipher(vector.nonce());
            ByteBuf datagram = leaks.allocator().directBuffer();
            datagram.writeZero(sealing.headBytes()).writeBytes(vector.payload()).readerIndex(sealing.headBytes());
            sealing.seal(datagram);
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(vector.datagram());
            datagram.release();
        }
    }

    @ParameterizedTest
    @MethodSource("ciphers")
    void opensDatagramsOfKcpGo(CipherVectors cipher) {
        DatagramCipher opening = cipher.cipher(new byte[16]);
        for (CipherVectors.Vector vector : cipher.vectors()) {
            ByteBuf datagram = leaks.allocator().directBuffer().writeBytes(vector.datagram());
            assertThat(opening.open(datagram)).isTrue();
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(vector.payload());
            datagram.release();
        }
    }

    @ParameterizedTest
    @MethodSource("ciphers")
    @Tag("slow")
    void flippedBitIsRejectedWithoutChangingTheBuffer(CipherVectors cipher) {
        DatagramCipher opening = cipher.cipher(new byte[16]);
        for (CipherVectors.Vector vector : cipher.vectors()) {
            byte[] bytes = vector.datagram().clone();
            ByteBuf datagram = leaks.allocator().buffer().writeBytes(bytes);
            int step = bytes.length <= SHORT_BYTES ? 1 : 9;
            for (int bit = 0; bit < bytes.length * 8; bit += step) {
                if (isUnchecked(cipher, bit / 8)) {
                    continue;
                }
                flip(datagram, bit);
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                assertThat(opening.open(datagram)).as("bit %d of %d bytes", bit, bytes.length).isFalse();
                assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(bytes);
                flip(datagram, bit);
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
            }
            assertThat(opening.open(datagram)).as("all bits restored").isTrue();
            datagram.release();
        }
    }

    /** The configuration selects these classes only for some Java versions and sizes. The test covers them in all cases. */
    @ParameterizedTest
    @ValueSource(strings = {"chacha20-poly1305", "aes-128-gcm", "aes-256-gcm"})
    void ownAeadCiphersMatchKcpGo(String cipherName) {
        CipherVectors cipher = ciphers().stream().filter(each -> each.cipherName().equals(cipherName)).findFirst().orElseThrow();
        for (CipherVectors.Vector vector : cipher.vectors()) {
            NonceSource nonces = (target, length) -> System.arraycopy(vector.nonce(), 0, target, 0, length);
            DatagramCipher own = cipherName.startsWith("aes") ? new ArrayAesGcm(cipher.key(), nonces)
                : new ChaCha20Poly1305Cipher(cipher.key(), nonces);
            ByteBuf datagram = leaks.allocator().directBuffer();
            datagram.writeZero(own.headBytes()).writeBytes(vector.payload()).readerIndex(own.headBytes());
            own.seal(datagram);
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(vector.datagram());
            for (int bit = 0; bit < vector.datagram().length * 8; bit += 7) {
                flip(datagram, bit);
                assertThat(own.open(datagram)).isFalse();
                flip(datagram, bit);
            }
            assertThat(own.open(datagram)).isTrue();
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(vector.payload());
            datagram.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 24, 32})
    void ownAesGcmSealsTheSameBytesAsTheJdk(int keyBytes) throws GeneralSecurityException {
        Random random = new Random(keyBytes);
        byte[] key = new byte[keyBytes];
        random.nextBytes(key);
        byte[] nonce = new byte[12];
        DatagramCipher own = new ArrayAesGcm(key, (target, length) -> System.arraycopy(nonce, 0, target, 0, length));
        Cipher jdk = Cipher.getInstance("AES/GCM/NoPadding");
        for (int length = 0; length <= 600; length++) {
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            random.nextBytes(nonce);
            jdk.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
            ByteBuf datagram = leaks.allocator().directBuffer().writeZero(own.headBytes()).writeBytes(payload).readerIndex(own.headBytes());
            own.seal(datagram);
            assertThat(ByteBufUtil.getBytes(datagram, 0, 12, true)).isEqualTo(nonce);
            assertThat(ByteBufUtil.getBytes(datagram.skipBytes(12))).as("length " + length).isEqualTo(jdk.doFinal(payload));
            datagram.release();
        }
    }

    /** Returns {@code true} for the bytes of a nonce that affect neither the CRC nor the payload. */
    private static boolean isUnchecked(CipherVectors cipher, int index) {
        return switch (cipher.cipherName()) {
            case "none", "xor" -> index < 16;
            case "salsa20" -> index >= 8 && index < 16;
            case "blowfish", "cast5", "3des", "tea", "xtea" -> index < 8;
            default -> false;
        };
    }

    private static void flip(ByteBuf datagram, int bit) {
        datagram.setByte(bit / 8, datagram.getByte(bit / 8) ^ 1 << bit % 8);
    }
}
