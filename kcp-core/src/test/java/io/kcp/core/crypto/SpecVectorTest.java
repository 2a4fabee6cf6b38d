package io.kcp.core.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares all ciphers with golden vectors that kcp-go produced under the key of kcptun's default password. */
class SpecVectorTest {

    private static final byte[] KEY = KcptunKey.derive("it's a secrect");
    private static final NonceSource COUNTING = (target, length) -> System.arraycopy(counting(length), 0, target, 0, length);
    private static final String BARE = "443322115100200085ee360000000000000000000500000068656c6c6f";

    @Test
    void encryptsThe45ByteVectors() {
        check("86834343335b168ca911bf584a05f9900e1c6fda2c822a981eb60909411c15690afb116b0d6073935dd1a399f9", 32, AesCfbTransform::new);
        check("ddd7e0a7981ba3e2a7f6d51f2a2663184531e844fe0ddec4d65df15b489c5ba3e15ff1881eaf077a23107a1086", 16, AesCfbTransform::new);
        check("b9db59f7dd1bce4922855fb7f8f8e261a4937c0d7360349b24871684eb7bca422017d9f232c59cd2e4603e8463", 24, AesCfbTransform::new);
        check("0340e44fd923bb2259e375a7ab6ee54de9bca063ac2859b4bfd05a8a7ada8cfee0ee39b42f17db450a2e938ba4", 16, blocks(Sm4::new));
        check("fc9c4eb4a8e9502bde3d3c8b0679084d963bc6bfca609b1ba987df5d5e088440024c54fe55fe7a44ffe41b540e", 16, blocks(Tea::new));
        check("09256989438dfb5af0f2a323dfd1ac2c9af741cc94cf83fec52a72395260600933396d604d06cba2459225658d", 16, blocks(Xtea::new));
        check("186797305116055ece6531b898c4b2352cc7452301c8434ae21a1256aeb7305fb08d8648ad906dcc13c8fef8f0", 32, blocks(Blowfish::new));
        check("79a0668add94e7387471af7514bb1065027a4425d5bd62db2ba645c8b7f41fe83931f68d4c3ad655e8b3727308", 32, blocks(Twofish::new));
        check("bb8f8d2209e0131c7d027b3e28d6b45788b9c798dc5b25fc905f95636f61bb1cf570dd159b95dc560e2c33a7ce", 16, blocks(Cast5::new));
        check("5dca5d4fac8f6accf083365ae9eb528a24c6879fd6daee12f406f9a17955efec4fa86c417ab7d94fa773772244", 24, blocks(TripleDes::new));
        check("00010203040506079aaa6e7faf75365c40a4761a0c7be4446a8a411f62e5954a4ac802ddae0f35e6455e56815a", 32,
            Salsa20Transform::new);
        check("0fff8b84a99173765c7011c3f60cb8237bdf1315a6805604d54b25a70367b293d08e441c63be35690d89fadcb2", 32,
            key -> new XorTransform(XorTransform.table(key)));
    }

    @Test
    void tableOfXorMatchesKcpGo() {
        byte[] table = XorTransform.table(KEY);
        assertThat(table).hasSize(1500).startsWith(hex("0ffe8987ad94757154791bc8fa01b62c")).endsWith(hex("2f7640db6a160114"));
    }

    @Test
    void sealsThe33ByteVectorWithGcm() {
        byte[] bytes = counting(45);
        assertThat(seal("aes-128-gcm", Arrays.copyOfRange(bytes, 12, 45))).isEqualTo(hex("000102030405060708090a0b"
            + "5f800bc81a7d57d2c305edc8157e8f6901f25c82601cd76aeed555a960995c01f7f9bc1f3c453eaad0ee7f256ff3f10899"));
    }

    @ParameterizedTest
    @CsvSource({
        "null, 443322115100200085ee360000000000000000000500000068656c6c6f",
        "none, 000102030405060708090a0b0c0d0e0fb8e27d9d443322115100200085ee360000000000000000000500000068656c6c6f",
        "aes, 86834343335b168ca911bf584a05f990a6ef00547ca41e9e57af3312d8ef3d7603939f9eae0d3d682cd72f4f276107eb38",
        "salsa20, 00010203040506079aaa6e7faf75365ce85719945c5dd04223937b04fb16bd556ae920fe8a2a13c168777caa1e890626de",
        "aes-128-gcm, 000102030405060708090a0b17be27d65b6c65c152fecddf0d6795721def429d453df549a2951fe227c1da3a2278e752a5268f47e745"
            + "f88c78",
    })
    void sealsWholeDatagramsLikeKcpGo(String cipherName, String datagram) {
        assertThat(seal(cipherName, hex(BARE))).isEqualTo(hex(datagram));
    }

    @ParameterizedTest
    @CsvSource({
        "aes, 86834343335b168ca911bf584a05f990b0968ee438973c8ff7af0c121932296746ab436afebe44cf606ba8f09186a050791cbcda539358329e, "
            + "00000000f1001f00443322115100200085ee360000000000000000000500000068656c6c6f",
        "aes, 86834343335b168ca911bf584a05f9909bed622039973c8ff7af321219322967dc253531595b9df1412302f56b869c0299741786ceacb14a5283f7, "
            + "01000000f100210044332211510020008aee3600010000000000000007000000776f726c642121",
        "aes, 86834343335b168ca911bf584a05f990a5d961703a973c8ff4af7012193229670c8eb0b3ffb926f504dfe7ac16a73d7007eb2e01abb0b3c464a152, "
            + "02000000f200630044332211510020009bee36000200000000000000010000005671506c794242",
        "aes-128-gcm, 000102030405060708090a0b538d05c7fb6c5ac19323d9ce5c67b5729801749d403df549caf0738e4db0762ab33a42cf6c098eef9d9fd1"
            + "1d3f5afa1f799fff5211, 00000000f1001f00443322115100200085ee360000000000000000000500000068656c6c6f",
        "aes-128-gcm, 000102030405060708090a0bac72fa38f96c4cc19323d9ce6208f7d003b479b69c4adb5563a79171d4ced8, "
            + "fffffffff3000900443322116f6f62",
    })
    void opensDatagramsWithForwardErrorCorrection(String cipherName, String datagram, String payload) {
        assertThat(seal(cipherName, hex(payload))).isEqualTo(hex(datagram));
        ByteBuf received = Unpooled.wrappedBuffer(hex(datagram));
        assertThat(cipher(cipherName).open(received)).isTrue();
        assertThat(ByteBufUtil.getBytes(received)).isEqualTo(hex(payload));
    }

    @Test
    void defaultPasswordOfKcptunGivesItsKey() {
        assertThat(KEY).isEqualTo(hex("25d7d7bd51050742d8d791f2b653c6c8b2366b7e25a124cf7a2e12eaf4ffa444"));
    }

    private static void check(String expected, int keyBytes, Function<byte[], ArrayDatagramCipher> transform) {
        byte[] bytes = counting(45);
        ArrayDatagramCipher made = transform.apply(Arrays.copyOf(KEY, keyBytes));
        made.encrypt(bytes, bytes.length);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(expected);
        made.decrypt(bytes, bytes.length);
        assertThat(bytes).isEqualTo(counting(45));
    }

    private static Function<byte[], ArrayDatagramCipher> blocks(Function<byte[], BlockCipher> cipher) {
        return key -> new CfbTransform(cipher.apply(key));
    }

    private static byte[] seal(String cipherName, byte[] payload) {
        DatagramCipher cipher = cipher(cipherName);
        ByteBuf datagram = Unpooled.buffer().writeZero(cipher.headBytes()).writeBytes(payload).readerIndex(cipher.headBytes());
        cipher.seal(datagram);
        return ByteBufUtil.getBytes(datagram);
    }

    private static DatagramCipher cipher(String cipherName) {
        NamedCipher suite = NamedCipher.ofName(cipherName);
        return suite.newCipher(suite.keyMaterial(suite.truncate(KEY)), COUNTING);
    }

    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
