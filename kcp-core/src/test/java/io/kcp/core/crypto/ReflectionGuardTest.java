package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReflectionGuardTest {

    private static final Random RANDOM = new Random(16);
    private static final Entropy ENTROPY = RANDOM::nextBytes;
    private static final byte[] PAYLOAD = "some payload".getBytes(StandardCharsets.UTF_8);

    private final LongSupplier runs = new AtomicLong()::getAndIncrement;

    static Stream<String> checkedNames() {
        return CryptoConfig.names().stream().filter(name -> !name.equals("null"));
    }

    private static CryptoConfig config(String cipherName) {
        return CryptoConfig.kcptun(cipherName, "password");
    }

    private static ByteBuf sealed(DatagramCipher cipher) {
        return sealed(cipher, PAYLOAD);
    }

    private static ByteBuf sealed(DatagramCipher cipher, byte[] payload) {
        ByteBuf datagram = Unpooled.buffer().writeZero(cipher.headBytes()).writeBytes(payload).readerIndex(cipher.headBytes());
        cipher.seal(datagram);
        return datagram;
    }

    private static void assertRefusesReflection(DatagramCipher cipher, ByteBuf datagram) {
        byte[] before = ByteBufUtil.getBytes(datagram);
        assertThat(cipher.open(datagram)).isFalse();
        assertThat(cipher.refusedReflection()).isTrue();
        assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(before);
    }

    private static void assertOpens(DatagramCipher cipher, ByteBuf datagram) {
        assertThat(cipher.open(datagram)).isTrue();
        assertThat(cipher.refusedReflection()).isFalse();
        assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(PAYLOAD);
    }

    @ParameterizedTest
    @MethodSource("checkedNames")
    void ciphersOfOneGuardRejectEachOthersDatagrams(String cipherName) {
        CryptoConfig guarded = config(cipherName).withReflectionGuard(ENTROPY, runs);
        DatagramCipher first = guarded.newCipher(ENTROPY);
        DatagramCipher second = guarded.newCipher(ENTROPY);
        DatagramCipher peer = config(cipherName).withReflectionGuard(ENTROPY, runs).newCipher(ENTROPY);
        DatagramCipher foreign = config(cipherName).newCipher(ENTROPY);
        for (int i = 0; i < 100; i++) {
            assertRefusesReflection(first, sealed(first));
            assertRefusesReflection(first, sealed(second));
            assertRefusesReflection(second, sealed(first));
            assertRefusesReflection(second, sealed(first, new byte[1_000]));
            assertOpens(first, sealed(peer));
            assertOpens(first, sealed(foreign));
            assertOpens(peer, sealed(first));
            assertOpens(foreign, sealed(first));
            assertThat(first.open(Unpooled.wrappedBuffer(new byte[60]))).isFalse();
            assertThat(first.refusedReflection()).isFalse();
        }
    }

    @Test
    void cipherWithoutGuardOpensItsOwnDatagrams() {
        checkedNames().forEach(name -> {
            DatagramCipher cipher = config(name).newCipher(ENTROPY);
            assertOpens(cipher, sealed(cipher));
        });
    }

    @Test
    void guardCoversEveryKeyOfARotation() {
        CryptoConfig old = config("aes");
        CryptoConfig rotating = config("aes-128-gcm").alsoOpening(old);
        for (CryptoConfig guarded : List.of(rotating.withReflectionGuard(ENTROPY, runs),
            config("aes-128-gcm").withReflectionGuard(ENTROPY, runs).alsoOpening(old))) {
            DatagramCipher cipher = guarded.newCipher(ENTROPY);
            for (CryptoConfig opener : guarded.openers()) {
                assertRefusesReflection(cipher, sealed(opener.newCipher(ENTROPY)));
            }
            assertOpens(cipher, sealed(old.newCipher(ENTROPY)));
            assertRefusesReflection(cipher, sealed(cipher));
        }
    }

    @Test
    void guardIsKeptByLaterChanges() {
        CryptoConfig guarded = config("aes-128-gcm").alsoOpening(config("aes")).withReflectionGuard(ENTROPY, runs);
        assertThat(guarded.withReflectionGuard(ENTROPY, runs)).isSameAs(guarded);
        assertThat(guarded.openers().get(0)).isSameAs(guarded.openers().get(0));
        assertThat(guarded.openers()).extracting(CryptoConfig::cipherName).containsExactly("aes-128-gcm", "aes");
        assertThat(guarded.toString()).isEqualTo("CryptoConfig(aes-128-gcm, also opening aes)");
        CryptoConfig provided = guarded.withProvider(Security.getProvider("SunJCE"));
        assertRefusesReflection(provided.newCipher(ENTROPY), sealed(guarded.newCipher(ENTROPY)));
        assertThat(guarded.isAuthenticated()).isFalse();
        CryptoConfig none = CryptoConfig.of("null", new byte[0]);
        assertThat(none.withReflectionGuard(ENTROPY, runs)).isSameAs(none);
    }
}
