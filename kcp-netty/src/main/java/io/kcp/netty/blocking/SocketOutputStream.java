package io.kcp.netty.blocking;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** The output stream of a socket. Closing the stream closes the socket. */
final class SocketOutputStream extends OutputStream {

    private final KcpSocket socket;

    SocketOutputStream(KcpSocket socket) {
        this.socket = socket;
    }

    @Override
    public void write(int value) throws IOException {
        socket.write(ByteBuffer.wrap(new byte[] {(byte) value}));
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        socket.write(ByteBuffer.wrap(source, offset, length));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
