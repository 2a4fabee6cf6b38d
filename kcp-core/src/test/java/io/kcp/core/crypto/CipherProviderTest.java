package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.kcp.core.conversation.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.conscrypt.Conscrypt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("jdk")
class CipherProviderTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck(false);

    @BeforeAll
    static void requireLinuxOnAmd64() {
        String machine = System.getProperty("os.name") + ' ' + System.getProperty("os.arch");
        assumeTrue(machine.equals("Linux amd64"), "the native code of the providers needs Linux on amd64, but this is " + machine);
    }

    static Stream<Arguments> ciphersOfProviders() {
        Provider conscrypt = Conscrypt.newProvider();
        return Stream.of(Arguments.of("aes-128-gcm", AmazonCorrettoCryptoProvider.INSTANCE),
            Arguments.of("aes-256-gcm", AmazonCorrettoCryptoProvider.INSTANCE), Arguments.of("aes-128-gcm", conscrypt),
            Arguments.of("aes-256-gcm", conscrypt), Arguments.of("chacha20-poly1305", conscrypt));
    }

    @ParameterizedTest
    @MethodSource("ciphersOfProviders")
    void providersMatchKcpGoAndRejectFlippedBits(String cipherName, Provider provider) {
        List<CipherVectors> all = CipherVectorTest.ciphers();
        CipherVectors cipher = all.stream().filter(each -> each.cipherName().equals(cipherName)).findFirst().orElseThrow();
        for (CipherVectors.Vector vector : cipher.vectors()) {
            Entropy entropy = bytes -> System.arraycopy(vector.nonce(), 0, bytes, 0, Math.min(bytes.length, vector.nonce().length));
            DatagramCipher opening = CryptoConfig.of(cipherName, cipher.key()).withProvider(provider).newCipher(entropy);
            ByteBuf datagram = leaks.allocator().directBuffer().writeBytes(vector.datagram());
            for (int bit = 0; bit < vector.datagram().length * 8; bit += 13) {
                flip(datagram, bit);
                assertThat(opening.open(datagram)).as("bit %d", bit).isFalse();
                flip(datagram, bit);
            }
            assertThat(opening.open(datagram)).isTrue();
            assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(vector.payload());
            datagram.release();
        }
    }

    @ParameterizedTest
    @MethodSource("ciphersOfProviders")
    void providersAndJdkOpenEachOthersDatagrams(String cipherName, Provider provider) {
        CryptoConfig plain = CryptoConfig.kcptun(cipherName, "it's a secrect");
        Entropy entropy = new SecureRandom()::nextBytes;
        DatagramCipher jdk = plain.newCipher(entropy);
        DatagramCipher other = plain.withProvider(provider).newCipher(entropy);
        for (int length : new int[] {0, 1, 24, 1_400}) {
            assertPasses(jdk, other, length);
            assertPasses(other, jdk, length);
        }
    }

    private void assertPasses(DatagramCipher sealing, DatagramCipher opening, int length) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) 7);
        ByteBuf datagram = leaks.allocator().directBuffer().writeZero(sealing.headBytes()).writeBytes(payload);
        datagram.readerIndex(sealing.headBytes());
        sealing.seal(datagram);
        assertThat(opening.open(datagram)).isTrue();
        assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(payload);
        datagram.release();
    }

    @Test
    void changingTheProviderKeepsOtherOpeners() {
        CryptoConfig fresh = CryptoConfig.kcptun("aes-128-gcm", "fresh").alsoOpening(CryptoConfig.kcptun("salsa20", "old"))
            .withProvider(AmazonCorrettoCryptoProvider.INSTANCE);
        assertThat(fresh.openers()).extracting(CryptoConfig::cipherName).containsExactly("aes-128-gcm", "salsa20");
    }

    @Test
    void unsupportedCipherOrProviderIsRejected() {
        Provider corretto = AmazonCorrettoCryptoProvider.INSTANCE;
        assertThatThrownBy(() -> CryptoConfig.kcptun("salsa20", "password").withProvider(corretto))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("provider: AmazonCorrettoCryptoProvider for salsa20");
        assertThatThrownBy(() -> CryptoConfig.kcptun("chacha20-poly1305", "password").withProvider(corretto))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("ChaCha20-Poly1305");
    }

    private static void flip(ByteBuf datagram, int bit) {
        datagram.setByte(bit / 8, datagram.getByte(bit / 8) ^ 1 << bit % 8);
    }
}
