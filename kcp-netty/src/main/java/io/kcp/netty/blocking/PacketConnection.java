package io.kcp.netty.blocking;

import io.kcp.netty.packet.PacketException;
import io.kcp.netty.packet.PacketFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives packets over a blocking socket, in the format of {@link io.kcp.netty.packet}. The peer may use
 * {@link io.kcp.netty.packet.PacketCodec}, go-packetconn or this class.
 *
 * <pre>{@code
 * try (PacketConnection connection = new PacketConnection(kcpSocket)) {
 *     connection.send(request);
 *     byte[] answer = connection.receive();
 * }
 * }</pre>
 *
 * <p>One thread may receive while another thread sends. A second thread that receives or sends at the same time gets a
 * {@link ReadPendingException} or {@link WritePendingException}. Interrupts and closing work as in {@link KcpSocket}. The timeout set by
 * {@link KcpSocket#setSoTimeout} applies to a whole packet. After a timeout, {@link #receive()} can be called again and continues with the
 * same packet.
 */
public final class PacketConnection implements Closeable {

    private static final int HEADER_BYTES = 4;
    private static final int CHECKSUM_BYTES = 4;
    /** Packets up to this size are written in one call. It is also the initial size of the array for a longer received payload. */
    private static final int FRAME_BYTES = 8_192;
    private static final byte[] NONE = {};

    private final KcpSocket socket;
    private final PacketFormat format;
    /** True while a thread receives a packet. Only that thread uses the fields of the receiving direction. */
    private final AtomicBoolean receiving = new AtomicBoolean();
    private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer checksum = ByteBuffer.allocate(CHECKSUM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32 receivedCrc = new CRC32();
    private byte[] payload = NONE;
    private int receivedBytes;
    /** True while a thread sends a packet. Only that thread uses the fields of the sending direction. */
    private final AtomicBoolean sending = new AtomicBoolean();
    /** Allocated when the first packet is sent, because many connections only receive. */
    private @Nullable ByteBuffer frame;
    private final CRC32 sentCrc = new CRC32();

    /**
     * Creates a connection for packets of up to 32 MiB without a checksum.
     *
     * @param socket the socket, which is closed with this connection and must not be read or written by others
     */
    public PacketConnection(KcpSocket socket) {
        this(socket, PacketFormat.DEFAULT);
    }

    /**
     * Creates a connection.
     *
     * @param socket the socket, which is closed with this connection and must not be read or written by others
     * @param format the maximum payload size and the checksum setting; both peers must use the same checksum setting
     */
    public PacketConnection(KcpSocket socket, PacketFormat format) {
        this.socket = socket;
        this.format = format;
    }

    /**
     * Returns the socket of this connection, for its timeouts and its channel.
     *
     * @return the socket
     */
    public KcpSocket socket() {
        return socket;
    }

    // ---- sending

    /**
     * Sends a packet, and waits until the socket has room for it.
     *
     * @param payload the payload, which is copied
     * @throws IllegalArgumentException if the payload is longer than the format allows; nothing is sent
     * @throws SocketTimeoutException   if the socket has no room for the time set by {@link KcpSocket#setWriteTimeout}. If a part of the
     *                                  packet was already stored, the connection is closed.
     * @throws IOException              see {@link KcpSocket#write}
     */
    public void send(byte[] payload) throws IOException {
        send(ByteBuffer.wrap(payload));
    }

    /**
     * Sends the remaining bytes of a buffer as a packet, and waits until the socket has room for it.
     *
     * @param payload the payload, which is copied; the position of the buffer does not change
     * @throws IllegalArgumentException if the payload is longer than the format allows; nothing is sent
     * @throws SocketTimeoutException   if the socket has no room for the time set by {@link KcpSocket#setWriteTimeout}. If a part of the
     *                                  packet was already stored, the connection is closed.
     * @throws IOException              see {@link KcpSocket#write}
     */
    public void send(ByteBuffer payload) throws IOException {
        int length = payload.remaining();
        if (length > format.maxPayloadBytes()) {
            throw new IllegalArgumentException("payload: " + length + " bytes (expected: at most " + format.maxPayloadBytes()
                + ", maxPayloadBytes)");
        }
        if (!sending.compareAndSet(false, true)) {
            throw new WritePendingException();
        }
        try {
            write(payload.duplicate(), length);
        } finally {
            sending.set(false);
        }
    }

    private void write(ByteBuffer rest, int length) throws IOException {
        ByteBuffer frame = emptyFrame().putInt(length);
        int crc = format.checksum() ? crc(sentCrc, frame, rest.duplicate()) : 0;
        int first = Math.min(length, FRAME_BYTES - HEADER_BYTES - CHECKSUM_BYTES);
        frame.put(rest.slice(rest.position(), first));
        rest.position(rest.position() + first);
        boolean started = false;
        try {
            if (rest.hasRemaining()) {
                socket.write(frame.flip());
                started = true;
                socket.write(rest);
                frame.clear();
            }
            if (format.checksum()) {
                frame.putInt(crc);
            }
            socket.write(frame.flip());
        } catch (SocketTimeoutException timeout) {
            if (started || frame.position() > 0) {
                // Closes the socket, because the peer would read the next packet as a part of the incomplete one.
                socket.close();
            }
            throw timeout;
        }
    }

    private ByteBuffer emptyFrame() {
        ByteBuffer allocated = frame;
        if (allocated == null) {
            allocated = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            frame = allocated;
        }
        return allocated.clear();
    }

    private static int crc(CRC32 crc, ByteBuffer header, ByteBuffer payload) {
        crc.reset();
        crc.update(header.slice(0, HEADER_BYTES));
        crc.update(payload);
        return (int) crc.getValue();
    }

    // ---- receiving

    /**
     * Receives the next packet, and waits until it is complete. Memory is allocated as the payload arrives, not when its length is
     * announced.
     *
     * @return the payload, or null if the peer has shut down its output after the previous packet
     * @throws SocketTimeoutException if the packet is not complete within the time set by {@link KcpSocket#setSoTimeout}
     * @throws EOFException           if the peer has shut down its output before the end of a packet
     * @throws KcpSocketException     if the packet is longer than the format allows or its checksum is wrong, with a
     *                                {@link PacketException} as its cause; the connection is then closed
     * @throws IOException            see {@link KcpSocket#read}
     */
    public byte @Nullable [] receive() throws IOException {
        if (!receiving.compareAndSet(false, true)) {
            throw new ReadPendingException();
        }
        socket.received().startTimer();
        try {
            if (!read(header)) {
                if (header.position() == 0) {
                    return null;
                }
                throw truncated();
            }
            int length = header.getInt(0);
            if (Integer.compareUnsigned(length, format.maxPayloadBytes()) > 0) {
                throw refuse(PacketException.Reason.PAYLOAD_TOO_LARGE, "The peer announced a payload of " + Integer.toUnsignedLong(length)
                    + " bytes, but the limit is " + format.maxPayloadBytes() + " (maxPayloadBytes).");
            }
            readPayload(length);
            if (format.checksum()) {
                readChecksum();
            }
            return takePayload();
        } finally {
            socket.received().stopTimer();
            receiving.set(false);
        }
    }

    /** Fills a buffer. Returns {@code false} at the end of the data. */
    private boolean read(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (socket.read(target) < 0) {
                return false;
            }
        }
        return true;
    }

    private void readPayload(int length) throws IOException {
        if (receivedBytes == 0) {
            payload = new byte[Math.min(length, FRAME_BYTES)];
        }
        while (receivedBytes < length) {
            if (receivedBytes == payload.length) {
                payload = Arrays.copyOf(payload, (int) Math.min(length, 2L * payload.length));
            }
            int bytes = socket.read(payload, receivedBytes, payload.length - receivedBytes);
            if (bytes < 0) {
                throw truncated();
            }
            receivedBytes += bytes;
        }
    }

    private void readChecksum() throws IOException {
        if (!read(checksum)) {
            throw truncated();
        }
        int computed = crc(receivedCrc, header, ByteBuffer.wrap(payload));
        if (computed != checksum.getInt(0)) {
            throw refuse(PacketException.Reason.CHECKSUM_MISMATCH, "The CRC-32 of a packet with a payload of " + payload.length
                + " bytes is 0x" + Integer.toHexString(computed) + ", but the peer sent 0x" + Integer.toHexString(checksum.getInt(0))
                + ".");
        }
    }

    private byte[] takePayload() {
        byte[] complete = payload;
        payload = NONE;
        receivedBytes = 0;
        header.clear();
        checksum.clear();
        return complete;
    }

    private EOFException truncated() {
        return new EOFException("The data of the peer ended in the middle of a packet: " + socket);
    }

    private IOException refuse(PacketException.Reason reason, String message) {
        socket.close();
        return KcpSocketException.of("Cannot receive", new PacketException(reason, message));
    }

    /** Closes the socket of this connection. See {@link KcpSocket#close()}. */
    @Override
    public void close() {
        socket.close();
    }

    @Override
    public String toString() {
        return "PacketConnection(" + socket + ')';
    }
}
