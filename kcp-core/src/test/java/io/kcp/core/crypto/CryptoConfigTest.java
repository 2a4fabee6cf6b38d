package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
class CryptoConfigTest {

    private static final Entropy ENTROPY = new SecureRandom()::nextBytes;
    private static final byte[] PAYLOAD = {1, 2, 3, 4, 5};

    @Test
    void hasEveryCipherOfKcptun() {
        assertThat(CryptoConfig.names()).contains("null", "none", "xor", "aes", "aes-128", "aes-192", "aes-128-gcm", "sm4", "tea", "xtea",
            "blowfish", "twofish", "cast5", "3des", "salsa20", "aes-256-gcm", "chacha20-poly1305").doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AES", "aes-256", "rc4"})
    void unknownNameIsRejectedWithTheKnownNames(String name) {
        for (String known : CryptoConfig.names()) {
            assertThatThrownBy(() -> CryptoConfig.of(name, new byte[32])).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cipherName: " + name).hasMessageContaining(known);
        }
        assertThatThrownBy(() -> CryptoConfig.kcptun(name, "password")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "aes-128-gcm, 16", "aes-256-gcm, 32", "chacha20-poly1305, 32", "aes, 32", "aes-128, 16", "aes-192, 24", "salsa20, 32",
        "sm4, 16", "twofish, 16 to 32 in steps of 8", "blowfish, 1 to 56", "cast5, 16", "3des, 24", "xtea, 16", "tea, 16",
        "xor, at least 1",
    })
    void wrongKeyLengthIsRejectedWithTheExpectedLength(String cipherName, String expected) {
        int rejected = 0;
        for (int length = 0; length <= 64; length++) {
            byte[] key = new byte[length];
            if (fits(expected, length)) {
                assertThat(CryptoConfig.of(cipherName, key).cipherName()).isEqualTo(cipherName);
            } else {
                rejected++;
                assertThatThrownBy(() -> CryptoConfig.of(cipherName, key)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("key: " + length + " bytes for " + cipherName + " (expected: " + expected);
            }
        }
        assertThat(rejected).isPositive();
    }

    private static boolean fits(String expected, int length) {
        return switch (expected) {
            case "16 to 32 in steps of 8" -> length == 16 || length == 24 || length == 32;
            case "1 to 56" -> length >= 1 && length <= 56;
            case "at least 1" -> length >= 1;
            default -> length == Integer.parseInt(expected);
        };
    }

    @Test
    void wrongKeyLengthNamesTheCiphersItFits() {
        assertThatThrownBy(() -> CryptoConfig.of("aes", new byte[16]))
            .hasMessageContaining("keys of 16 bytes are for aes-128-gcm, aes-128");
        assertThatThrownBy(() -> CryptoConfig.of("aes-128", new byte[24])).hasMessageContaining("keys of 24 bytes are for aes-192");
    }

    @Test
    void noneAndNullIgnoreTheKey() {
        for (int length : new int[] {0, 1, 32, 100}) {
            assertThat(CryptoConfig.of("null", new byte[length]).isNull()).isTrue();
            assertThat(CryptoConfig.of("none", new byte[length]).isNull()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("io.kcp.core.crypto.CryptoConfig#names")
    void passwordGivesTheKeyThatKcptunDerives(String cipherName) {
        CryptoConfig byPassword = CryptoConfig.kcptun(cipherName, "Tr0ub4dor & \u00e9");
        CryptoConfig byKey = CryptoConfig.of(cipherName, NamedCipher.ofName(cipherName).truncate(KcptunKey.derive("Tr0ub4dor & \u00e9")));
        ByteBuf datagram = sealed(byPassword);
        assertThat(byKey.newCipher(ENTROPY).open(datagram)).isTrue();
        assertThat(ByteBufUtil.getBytes(datagram)).isEqualTo(PAYLOAD);
    }

    @Test
    void emptyPasswordIsRejected() {
        assertThatThrownBy(() -> CryptoConfig.kcptun("aes", "")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("password");
    }

    @ParameterizedTest
    @MethodSource("io.kcp.core.crypto.CryptoConfig#names")
    void keyIsCopied(String cipherName) {
        byte[] key = NamedCipher.ofName(cipherName).truncate(KcptunKey.derive("password"));
        CryptoConfig config = CryptoConfig.of(cipherName, key);
        CryptoConfig same = CryptoConfig.of(cipherName, key.clone());
        Arrays.fill(key, (byte) 0);
        assertThat(same.newCipher(ENTROPY).open(sealed(config))).isTrue();
    }

    @ParameterizedTest
    @MethodSource("io.kcp.core.crypto.CryptoConfig#names")
    void toStringHidesTheKey(String cipherName) {
        byte[] key = NamedCipher.ofName(cipherName).truncate(KcptunKey.derive("password"));
        String shown = CryptoConfig.of(cipherName, key).toString();
        assertThat(shown).isEqualTo("CryptoConfig(" + cipherName + ')');
        if (key.length > 0) {
            assertThat(shown).doesNotContain(HexFormat.of().formatHex(key)).doesNotContain(Arrays.toString(key));
        }
    }

    @Test
    void overheadMatchesTheWireFormat() {
        for (String name : CryptoConfig.names()) {
            CryptoConfig config = CryptoConfig.kcptun(name, "password");
            boolean aead = List.of("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305").contains(name);
            assertThat(config.isAuthenticated()).as(name).isEqualTo(aead);
            assertThat(config.headBytes()).as(name).isEqualTo(aead ? 12 : name.equals("null") ? 0 : 20);
            assertThat(config.tailBytes()).as(name).isEqualTo(aead ? 16 : 0);
            DatagramCipher cipher = config.newCipher(ENTROPY);
            assertThat(cipher.headBytes()).isEqualTo(config.headBytes());
            assertThat(cipher.tailBytes()).isEqualTo(config.tailBytes());
        }
    }

    @Test
    void rotationOpensBothKeysAndSealsWithTheFirst() {
        CryptoConfig old = CryptoConfig.kcptun("aes-128-gcm", "old");
        CryptoConfig fresh = CryptoConfig.kcptun("aes", "fresh");
        CryptoConfig other = CryptoConfig.kcptun("aes", "other");
        DatagramCipher rotating = fresh.alsoOpening(old).newCipher(ENTROPY);
        for (int i = 0; i < 3; i++) {
            assertThat(rotating.open(sealed(old))).isTrue();
            assertThat(rotating.open(sealed(fresh))).isTrue();
            ByteBuf foreign = sealed(other);
            byte[] before = ByteBufUtil.getBytes(foreign);
            assertThat(rotating.open(foreign)).isFalse();
            assertThat(ByteBufUtil.getBytes(foreign)).isEqualTo(before);
        }
        assertThat(rotating.headBytes()).isEqualTo(20);
        assertThat(fresh.newCipher(ENTROPY).open(sealed(fresh.alsoOpening(old)))).isTrue();
        assertThat(old.newCipher(ENTROPY).open(sealed(fresh.alsoOpening(old)))).isFalse();
    }

    @Test
    void openersStartWithTheSealingConfiguration() {
        CryptoConfig a = CryptoConfig.kcptun("aes-128-gcm", "a");
        CryptoConfig b = CryptoConfig.kcptun("aes-256-gcm", "b");
        CryptoConfig c = CryptoConfig.kcptun("salsa20", "c");
        CryptoConfig all = a.alsoOpening(b.alsoOpening(c));
        assertThat(a.openers()).containsExactly(a);
        assertThat(all.openers()).extracting(CryptoConfig::cipherName).containsExactly("aes-128-gcm", "aes-256-gcm", "salsa20");
        assertThat(all.openers()).allSatisfy(opener -> assertThat(opener.openers()).hasSize(1));
        assertThat(all.toString()).isEqualTo("CryptoConfig(aes-128-gcm, also opening aes-256-gcm, also opening salsa20)");
        assertThat(a.alsoOpening(b).isAuthenticated()).isTrue();
        assertThat(all.isAuthenticated()).as("datagrams of salsa20 can be modified without the key").isFalse();
    }

    @Test
    void nullCannotBeCombined() {
        CryptoConfig none = CryptoConfig.of("null", new byte[0]);
        CryptoConfig aes = CryptoConfig.kcptun("aes", "a");
        assertThatThrownBy(() -> none.alsoOpening(aes)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> aes.alsoOpening(none)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void customCipherIsUsed() {
        CryptoConfig config = CryptoConfig.custom("mine", true, 0, 0, entropy -> new NullCipher());
        assertThat(config.isNull()).isFalse();
        assertThat(config.isAuthenticated()).isTrue();
        assertThat(config.newCipher(ENTROPY)).isInstanceOf(NullCipher.class);
        assertThatThrownBy(() -> CryptoConfig.custom("null", true, 0, 0, entropy -> new NullCipher()))
            .isInstanceOf(IllegalArgumentException.class);
    }

    private static ByteBuf sealed(CryptoConfig config) {
        ByteBuf datagram = Unpooled.buffer().writeZero(config.headBytes()).writeBytes(PAYLOAD).readerIndex(config.headBytes());
        config.newCipher(ENTROPY).seal(datagram);
        return datagram;
    }
}
