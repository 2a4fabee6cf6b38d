package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.internal.reedsolomon.ReedSolomon;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the FEC encoder and decoder with golden vectors that kcp-go produced. */
class FecVectorTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    static List<FecVector> vectors() {
        return FecVector.all();
    }

    @Test
    void allVectorFilesAreRead() {
        assertThat(vectors()).extracting(FecVector::toString)
            .containsExactly("10:3", "3:1", "1:1", "2:2", "5:2", "20:10", "70:30");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void datagramsHaveTheBytesOfKcpGo(FecVector vector) {
        FecSender sender = new FecSender(leaks, FecConfig.of(vector.shape()), 0);
        List<byte[]> sent = new ArrayList<>();
        for (byte[] payload : vector.payloads()) {
            sent.addAll(sender.send(payload, 0));
        }
        assertThat(sent).extracting(HexFormat.of()::formatHex)
            .containsExactlyElementsOf(vector.datagrams().stream().map(HexFormat.of()::formatHex).toList());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void coefficientsAreThoseOfKcpGo(FecVector vector) {
        assertThat(ShardBytes.parityRows(vector.shape())).extracting(HexFormat.of()::formatHex)
            .containsExactlyElementsOf(vector.matrix().stream().map(HexFormat.of()::formatHex).toList());
    }

    @Test
    void coefficientsOfSmallShapesEqualThoseOfKcpGo() {
        assertThat(hexRows(1, 1)).containsExactly("01");
        assertThat(hexRows(2, 1)).containsExactly("0302");
        assertThat(hexRows(3, 2)).containsExactly("010101", "0f0806");
        assertThat(hexRows(10, 1)).containsExactly("8196afb8d2c4fee80302");
        assertThat(hexRows(10, 3)).containsExactly("8196afb8d2c4fee80302", "9681b8afc4d2e8fe0203", "bfd6620a066fdfb70504");
        assertThat(hexRows(4, 4)).containsExactly("1b1c1214", "1c1b1412", "12141b1c", "14121c1b");
    }

    @Test
    void parityOfShape3To2EqualsThatOfKcpGo() {
        FecSender sender = new FecSender(leaks, FecConfig.of(new FecShape(3, 2)), 0);
        assertThat(sender.hex("18191a1b1c")).containsExactly("00000000f100070018191a1b1c");
        assertThat(sender.hex("28292a2b2c2d")).containsExactly("01000000f100080028292a2b2c2d");
        assertThat(sender.hex("38393a3b3c3d3e")).containsExactly("02000000f100090038393a3b3c3d3e",
            "03000000f200060008090a0b0c103e", "04000000f2005b004544474641fb84");
        byte[][] shards = {null, null, hex("090038393a3b3c3d3e"), hex("060008090a0b0c103e"), hex("5b004544474641fb84")};
        assertThat(ShardBytes.reconstruct(new ReedSolomon(3, 2), shards, 9)).extracting(HexFormat.of()::formatHex)
            .containsExactly("070018191a1b1c0000", "080028292a2b2c2d00");
    }

    @Test
    void parityOfSegmentsEqualsThatOfKcpGoAndRecovers() {
        String first = "443322115100200085ee360000000000000000000500000068656c6c6f";
        String second = "44332211510020008aee3600010000000000000007000000776f726c642121";
        FecSender sender = new FecSender(leaks, FecConfig.of(new FecShape(2, 1)), 0);
        assertThat(sender.hex(first)).containsExactly("00000000f1001f00" + first);
        assertThat(sender.hex(second)).containsExactly("01000000f1002100" + second,
            "02000000f200630044332211510020009bee36000200000000000000010000005671506c794242");

        FecReceiver receiver = new FecReceiver(leaks, FecConfig.of(new FecShape(2, 1)).withFixedShape(), 0x11223344);
        receiver.receive("01000000f1002100" + second);
        assertThat(receiver.receive("02000000f200630044332211510020009bee36000200000000000000010000005671506c794242"))
            .extracting(HexFormat.of()::formatHex).containsExactly(first);
    }

    @Test
    void outOfBandDatagramHasTheBytesOfKcpGo() {
        var buffer = leaks.allocator().buffer(32).writerIndex(FecHeader.OOB_LENGTH).writeBytes("oob".getBytes());
        FecHeader.setOob(buffer, 0, 0x11223344, 3);
        assertThat(FecReceiver.bytes(buffer)).asHexString().isEqualToIgnoringCase("fffffffff3000900443322116f6f62");
        assertThat(FecHeader.isPresent(buffer)).isTrue();
        assertThat(FecHeader.seqid(buffer, 0)).isEqualTo(FecHeader.OOB_SEQID);
        assertThat(FecHeader.type(buffer, 0)).isEqualTo(FecHeader.TYPE_OOB);
        assertThat(FecHeader.size(buffer, 0)).isEqualTo(9);
        assertThat(FecHeader.oobConv(buffer, 0)).isEqualTo(0x11223344);
        buffer.release();
    }

    /**
     * Decodes a group of kcp-go with each recoverable combination of lost shards, or with a sample of the combinations if the group is
     * large.
     */
    @ParameterizedTest
    @MethodSource("vectors")
    @Tag("slow")
    void anyLossThatParityCoversIsRecovered(FecVector vector) {
        int data = vector.shape().dataShards();
        int total = vector.shape().totalShards();
        List<byte[]> group = vector.datagrams().subList(vector.datagrams().size() - total, vector.datagrams().size());
        int bytes = group.get(total - 1).length - FecHeader.SIZE_OFFSET;
        ReedSolomon code = ShardBytes.code(vector.shape());
        for (int[] lost : ErasurePatterns.of(total, vector.shape().parityShards(), 5_000, 21)) {
            byte[][] shards = new byte[total][];
            for (int i = 0; i < total; i++) {
                shards[i] = ShardBytes.shard(group.get(i));
            }
            List<byte[]> expected = new ArrayList<>();
            for (int position : lost) {
                if (position < data) {
                    expected.add(Arrays.copyOf(shards[position], bytes));
                }
                shards[position] = null;
            }
            assertThat(ShardBytes.reconstruct(code, shards, bytes)).usingRecursiveComparison().isEqualTo(expected);
        }
    }

    private static List<String> hexRows(int dataShards, int parityShards) {
        return ShardBytes.parityRows(new FecShape(dataShards, parityShards)).stream().map(HexFormat.of()::formatHex).toList();
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
