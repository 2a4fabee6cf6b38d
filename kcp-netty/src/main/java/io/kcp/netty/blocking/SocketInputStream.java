package io.kcp.netty.blocking;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The input stream of a socket. Closing the stream closes the socket. */
final class SocketInputStream extends InputStream {

    private final KcpSocket socket;
    private final byte[] single = new byte[1];

    SocketInputStream(KcpSocket socket) {
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        return socket.read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        return socket.read(target, offset, length);
    }

    @Override
    public int available() throws IOException {
        return socket.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
