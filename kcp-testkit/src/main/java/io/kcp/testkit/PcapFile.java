package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes datagrams to a file in the format pcap, which Wireshark and tcpdump read. Each datagram has an IPv4 header and a UDP header. The
 * times are those of the simulated clock. The DSCP field of the IPv4 header contains the ordinal of the {@link LinkFate}, so the display
 * filter {@code ip.dsfield.dscp >= 3} of Wireshark shows the lost datagrams. Not thread-safe.
 */
public final class PcapFile implements Closeable {

    private static final int MAGIC_MICROSECONDS = 0xA1B2C3D4;
    private static final short MAJOR_VERSION = 2;
    private static final short MINOR_VERSION = 4;
    private static final int MAX_PACKET_BYTES = 65_535;
    /** The number of the link type RAW, whose packets start with an IP header. */
    private static final int LINK_TYPE_RAW = 101;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int IPV4_HEADER_BYTES = 20;
    private static final int UDP_HEADER_BYTES = 8;
    private static final int MICROSECONDS_PER_SECOND = 1_000_000;
    private static final byte IPV4_WITHOUT_OPTIONS = 0x45;
    private static final short DO_NOT_FRAGMENT = 0x4000;
    private static final byte TTL = 64;
    private static final byte UDP = 17;

    private final Path path;
    private final OutputStream out;
    private final ByteBuffer header = ByteBuffer.allocate(RECORD_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES);
    private short identification;

    /**
     * Creates a file. An existing file is replaced, and missing directories are created.
     *
     * @param path the path of the file
     * @throws UncheckedIOException if the file cannot be written
     */
    public PcapFile(Path path) {
        this.path = path;
        try {
            Files.createDirectories(path.toAbsolutePath().resolveSibling("."));
            out = new BufferedOutputStream(Files.newOutputStream(path));
            out.write(ByteBuffer.allocate(FILE_HEADER_BYTES).putInt(MAGIC_MICROSECONDS).putShort(MAJOR_VERSION).putShort(MINOR_VERSION)
                .putLong(0).putInt(MAX_PACKET_BYTES).putInt(LINK_TYPE_RAW).array());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write " + path, e);
        }
    }

    /**
     * Returns the path of the file.
     *
     * @return the path
     */
    public Path path() {
        return path;
    }

    /**
     * Appends a datagram.
     *
     * @param timeUs   the virtual time in microseconds
     * @param from     the source address, with an IPv4 address
     * @param to       the destination address, with an IPv4 address
     * @param datagram the datagram, <b>borrowed</b>; its indices do not change
     * @param fate     the outcome of the datagram on the link
     * @throws UncheckedIOException if the file cannot be written
     */
    public void write(long timeUs, InetSocketAddress from, InetSocketAddress to, ByteBuf datagram, LinkFate fate) {
        int udpBytes = UDP_HEADER_BYTES + datagram.readableBytes();
        int packetBytes = IPV4_HEADER_BYTES + udpBytes;
        header.clear().putInt((int) (timeUs / MICROSECONDS_PER_SECOND)).putInt((int) (timeUs % MICROSECONDS_PER_SECOND))
            .putInt(packetBytes).putInt(packetBytes);
        header.put(IPV4_WITHOUT_OPTIONS).put((byte) (fate.ordinal() << 2)).putShort((short) packetBytes).putShort(identification++)
            .putShort(DO_NOT_FRAGMENT).put(TTL).put(UDP).putShort((short) 0).put(from.getAddress().getAddress())
            .put(to.getAddress().getAddress());
        header.putShort(RECORD_HEADER_BYTES + 10, ipv4Checksum());
        // A UDP checksum of 0 means that there is none.
        header.putShort((short) from.getPort()).putShort((short) to.getPort()).putShort((short) udpBytes).putShort((short) 0);
        try {
            out.write(header.array(), 0, header.position());
            datagram.getBytes(datagram.readerIndex(), out, datagram.readableBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write " + path, e);
        }
    }

    private short ipv4Checksum() {
        int sum = 0;
        for (int offset = 0; offset < IPV4_HEADER_BYTES; offset += Short.BYTES) {
            sum += header.getShort(RECORD_HEADER_BYTES + offset) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (short) ~sum;
    }

    /**
     * Closes the file.
     *
     * @throws UncheckedIOException if the file cannot be written
     */
    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write " + path, e);
        }
    }
}
