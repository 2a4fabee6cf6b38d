package io.kcp.testkit;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The layers below KCP with which a scenario runs. The system property {@code kcp.variants} selects variants by name, separated by commas.
 */
enum Variant {
    PLAIN("", null, null),
    FEC(", FEC 10+3", FecConfig.of(10, 3), null),
    CIPHER(", aes-128-gcm", null, CryptoConfig.of("aes-128-gcm", new byte[16])),
    FEC_AND_CIPHER(", FEC 10+3 and aes-128-gcm", FEC.fec, CIPHER.crypto);

    private static final int SMALLEST_FULL_DATAGRAM_BYTES = 1_376;

    private final String text;
    private final @Nullable FecConfig fec;
    private final @Nullable CryptoConfig crypto;
    private @Nullable DatagramCipher opener;

    Variant(String text, @Nullable FecConfig fec, @Nullable CryptoConfig crypto) {
        this.text = text;
        this.fec = fec;
        this.crypto = crypto;
    }

    static List<Variant> selected() {
        String names = System.getProperty("kcp.variants");
        return names == null ? List.of(values()) : Arrays.stream(names.split(",")).map(Variant::valueOf).toList();
    }

    KcpPairBuilder apply(KcpPairBuilder pair) {
        return pair.fec(fec).crypto(crypto);
    }

    /** Returns the description that follows the name of the scenario. */
    String text() {
        return text;
    }

    /** Returns a decrypted copy of a datagram on a link. */
    ByteBuf decrypt(ByteBuf datagram) {
        ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(datagram));
        if (crypto != null && opener == null) {
            opener = crypto.newCipher(bytes -> { });
        }
        if (opener != null && !opener.open(copy)) {
            throw new IllegalArgumentException("datagram: cannot be decrypted");
        }
        return copy;
    }

    /** Returns a decrypted copy of the segments of a datagram on a link. The copy is empty if the datagram contains parity. */
    ByteBuf segments(ByteBuf datagram) {
        ByteBuf copy = decrypt(datagram);
        return switch (FecHeader.isPresent(copy) ? FecHeader.type(copy, copy.readerIndex()) : 0) {
            case 0 -> copy;
            case FecHeader.TYPE_DATA -> copy.skipBytes(FecHeader.LENGTH);
            default -> Unpooled.EMPTY_BUFFER;
        };
    }

    boolean hasFec() {
        return fec != null;
    }

    /** Returns the share of a full datagram that remains for the conversation, after headers of the layers and parity. */
    double payloadShare() {
        int headerBytes = (fec == null ? 0 : FecHeader.LENGTH) + (crypto == null ? 0 : crypto.headBytes() + crypto.tailBytes());
        return (1 - (double) headerBytes / SMALLEST_FULL_DATAGRAM_BYTES) / datagramFactor();
    }

    /** Returns the number of sent datagrams for each datagram of the conversation: 1, and more with FEC. */
    double datagramFactor() {
        return fec == null ? 1 : (double) fec.shape().totalShards() / fec.shape().dataShards();
    }
}
