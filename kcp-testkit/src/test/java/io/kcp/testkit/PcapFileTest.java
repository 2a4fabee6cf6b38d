package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapFileTest {

    private static final InetSocketAddress FROM = new InetSocketAddress("10.0.0.1", 5_000);
    private static final InetSocketAddress TO = new InetSocketAddress("10.0.0.2", 9_000);

    @Test
    void datagramsHaveTimeAndIpv4AndUdpHeaders(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("new directory/file.pcap");
        try (PcapFile file = new PcapFile(path)) {
            ByteBuf datagram = Unpooled.copiedBuffer(new byte[] {0, 1, 2, 3}).skipBytes(1);
            file.write(3_000_007, FROM, TO, datagram, LinkFate.LOST);
            file.write(3_000_008, TO, FROM, datagram, LinkFate.DELIVERED);
            assertThat(datagram.readableBytes()).isEqualTo(3);
        }
        ByteBuf in = Unpooled.wrappedBuffer(Files.readAllBytes(path));
        assertThat(in.readInt()).isEqualTo(0xA1B2C3D4);
        in.skipBytes(16);
        assertThat(in.readInt()).as("link type RAW").isEqualTo(101);
        assertThat(in.readInt()).isEqualTo(3);
        assertThat(in.readInt()).isEqualTo(7);
        assertThat(in.readInt()).isEqualTo(31);
        assertThat(in.readInt()).isEqualTo(31);
        assertThat(onesComplementSum(in)).isEqualTo(0xFFFF);
        assertThat(in.getUnsignedByte(in.readerIndex() + 1) >> 2).as("DSCP").isEqualTo(LinkFate.LOST.ordinal());
        assertThat(in.getUnsignedShort(in.readerIndex() + 2)).isEqualTo(31);
        assertThat(in.getInt(in.readerIndex() + 12)).isEqualTo(0x0A000001);
        assertThat(in.getInt(in.readerIndex() + 16)).isEqualTo(0x0A000002);
        in.skipBytes(20);
        assertThat(in.readUnsignedShort()).isEqualTo(5_000);
        assertThat(in.readUnsignedShort()).isEqualTo(9_000);
        assertThat(in.readUnsignedShort()).isEqualTo(11);
        in.skipBytes(2);
        assertThat(in.readMedium()).isEqualTo(0x010203);
        assertThat(in.readableBytes()).isEqualTo(16 + 31);
    }

    private static int onesComplementSum(ByteBuf ipv4) {
        int sum = 0;
        for (int offset = 0; offset < 20; offset += 2) {
            sum += ipv4.getUnsignedShort(ipv4.readerIndex() + offset);
        }
        return (sum & 0xFFFF) + (sum >>> 16);
    }
}
