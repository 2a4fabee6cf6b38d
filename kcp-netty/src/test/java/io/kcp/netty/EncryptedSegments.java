package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Encrypts and decrypts datagrams with the key of a server and its clients, as a peer or an attacker does that has the key. */
final class EncryptedSegments {

    static final CryptoConfig CRYPTO = CryptoConfig.of("aes-128-gcm", new byte[16]);

    private EncryptedSegments() {
    }

    static byte[] seal(WireSegment... segments) {
        DatagramCipher cipher = CRYPTO.newCipher(new SplittableRandom(Arrays.hashCode(segments))::nextBytes);
        ByteBuf bare = WireSegment.datagram(UnpooledByteBufAllocator.DEFAULT, segments);
        ByteBuf sealed = Unpooled.directBuffer(2_048);
        try {
            sealed.setIndex(CRYPTO.headBytes(), CRYPTO.headBytes()).writeBytes(bare);
            cipher.seal(sealed);
            return ByteBufUtil.getBytes(sealed);
        } finally {
            bare.release();
            sealed.release();
        }
    }

    /** Decrypts a datagram and returns its segments. */
    static List<WireSegment> open(byte[] datagram) {
        return WireSegment.parse(Unpooled.wrappedBuffer(decrypt(datagram)));
    }

    /** Decrypts a datagram, which may have an FEC header. */
    static byte[] decrypt(byte[] datagram) {
        ByteBuf buffer = Unpooled.directBuffer(datagram.length).writeBytes(datagram);
        try {
            if (!CRYPTO.newCipher(bytes -> Arrays.fill(bytes, (byte) 0)).open(buffer)) {
                throw new AssertionError("cannot open the datagram");
            }
            return ByteBufUtil.getBytes(buffer);
        } finally {
            buffer.release();
        }
    }
}
