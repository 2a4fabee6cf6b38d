package io.kcp.core.crypto;

import java.util.HexFormat;

/** Implements the block cipher SM4 (GB/T 32907). Lookup tables combine the S-box with the linear transformation that follows it. */
final class Sm4 implements BlockCipher {

    private static final int BLOCK_BYTES = 16;
    private static final int ROUNDS = 32;
    private static final int[] FAMILY_KEY = {0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC};
    private static final byte[] S = HexFormat.of().parseHex(
        "d690e9fecce13db716b614c228fb2c052b679a762abe04c3aa44132649860699"
        + "9c4250f491ef987a33540b43edcfac62e4b31ca9c908e89580df94fa758f3fa6"
        + "4707a7fcf37317ba83593c19e6854fa8686b81b27164da8bf8eb0f4b70569d35"
        + "1e240e5e6358d1a225227c3b01217887d40046579fd327524c3602e7a0c4c89e"
        + "eabf8ad240c738b5a3f7f2cef96115a1e0ae5da49b341a55ad933230f58cb1e3"
        + "1df6e22e8266ca60c02923ab0d534e6fd5db3745defd8e2f03ff6a726d6c5b51"
        + "8d1baf92bbddbc7f11d95c411f105ad80ac13188a5cd7bbd2d74d012b8e5b4b0"
        + "8969974a0c96777e65b9f109c56ec68418f07dec3adc4d2079ee5f3ed7cb3948");
    /** Lookup tables for the four bytes of a word, highest byte first. */
    private static final int[] TABLES = tables();

    private final int[] roundKeys = new int[ROUNDS];

    Sm4(byte[] key) {
        int a = Words.intBE(key, 0) ^ FAMILY_KEY[0];
        int b = Words.intBE(key, 4) ^ FAMILY_KEY[1];
        int c = Words.intBE(key, 8) ^ FAMILY_KEY[2];
        int d = Words.intBE(key, 12) ^ FAMILY_KEY[3];
        for (int i = 0; i < ROUNDS; i++) {
            int x = substitute(b ^ c ^ d ^ roundConstant(i));
            int next = a ^ x ^ Integer.rotateLeft(x, 13) ^ Integer.rotateLeft(x, 23);
            roundKeys[i] = next;
            a = b;
            b = c;
            c = d;
            d = next;
        }
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] keys = roundKeys;
        int a = Words.intBE(from, fromOffset);
        int b = Words.intBE(from, fromOffset + 4);
        int c = Words.intBE(from, fromOffset + 8);
        int d = Words.intBE(from, fromOffset + 12);
        for (int i = 0; i < ROUNDS; i += 4) {
            a ^= round(b ^ c ^ d ^ keys[i]);
            b ^= round(c ^ d ^ a ^ keys[i + 1]);
            c ^= round(d ^ a ^ b ^ keys[i + 2]);
            d ^= round(a ^ b ^ c ^ keys[i + 3]);
        }
        Words.putIntBE(to, toOffset, d);
        Words.putIntBE(to, toOffset + 4, c);
        Words.putIntBE(to, toOffset + 8, b);
        Words.putIntBE(to, toOffset + 12, a);
    }

    @Override
    public void encryptTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] keys = roundKeys;
        int a = Words.intBE(from, fromOffset);
        int b = Words.intBE(from, fromOffset + 4);
        int c = Words.intBE(from, fromOffset + 8);
        int d = Words.intBE(from, fromOffset + 12);
        int e = Words.intBE(from, fromOffset + 16);
        int f = Words.intBE(from, fromOffset + 20);
        int g = Words.intBE(from, fromOffset + 24);
        int h = Words.intBE(from, fromOffset + 28);
        for (int i = 0; i < ROUNDS; i += 4) {
            a ^= round(b ^ c ^ d ^ keys[i]);
            e ^= round(f ^ g ^ h ^ keys[i]);
            b ^= round(c ^ d ^ a ^ keys[i + 1]);
            f ^= round(g ^ h ^ e ^ keys[i + 1]);
            c ^= round(d ^ a ^ b ^ keys[i + 2]);
            g ^= round(h ^ e ^ f ^ keys[i + 2]);
            d ^= round(a ^ b ^ c ^ keys[i + 3]);
            h ^= round(e ^ f ^ g ^ keys[i + 3]);
        }
        Words.putIntBE(to, toOffset, d);
        Words.putIntBE(to, toOffset + 4, c);
        Words.putIntBE(to, toOffset + 8, b);
        Words.putIntBE(to, toOffset + 12, a);
        Words.putIntBE(to, toOffset + 16, h);
        Words.putIntBE(to, toOffset + 20, g);
        Words.putIntBE(to, toOffset + 24, f);
        Words.putIntBE(to, toOffset + 28, e);
    }

    private static int round(int x) {
        return TABLES[x >>> 24] ^ TABLES[256 + (x >>> 16 & 0xFF)] ^ TABLES[512 + (x >>> 8 & 0xFF)] ^ TABLES[768 + (x & 0xFF)];
    }

    private static int[] tables() {
        int[] tables = new int[4 * 256];
        for (int x = 0; x < 256; x++) {
            int s = (S[x] & 0xFF) << 24;
            int mixed = s ^ Integer.rotateLeft(s, 2) ^ Integer.rotateLeft(s, 10) ^ Integer.rotateLeft(s, 18)
                ^ Integer.rotateLeft(s, 24);
            for (int position = 0; position < 4; position++) {
                tables[position * 256 + x] = Integer.rotateRight(mixed, 8 * position);
            }
        }
        return tables;
    }

    private static int substitute(int x) {
        return (S[x >>> 24] & 0xFF) << 24 | (S[x >>> 16 & 0xFF] & 0xFF) << 16 | (S[x >>> 8 & 0xFF] & 0xFF) << 8 | S[x & 0xFF] & 0xFF;
    }

    /** Returns the constant from which the key schedule derives one round key. Its four bytes are consecutive multiples of 7 modulo 256. */
    private static int roundConstant(int round) {
        int word = 0;
        for (int i = 0; i < 4; i++) {
            word = word << 8 | (4 * round + i) * 7 & 0xFF;
        }
        return word;
    }
}
