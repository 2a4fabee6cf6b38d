package io.kcp.bench.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Sockets that are bound to the source addresses of an attack. On Linux, a socket can be bound to any address of 127.0.0.0/8, so each
 * socket represents a host whose address the attacker forges. All bytes that the server sends to such an address are counted as reflected.
 * Not thread-safe.
 */
final class AttackSources implements AutoCloseable {

    /** One source address. */
    static final class Source {

        private final DatagramChannel socket;
        private final InetSocketAddress address;
        private long sentBytes;
        private long receivedBytes;

        private Source(DatagramChannel socket, InetSocketAddress address) {
            this.socket = socket;
            this.address = address;
        }

        InetSocketAddress address() {
            return address;
        }

        long sentBytes() {
            return sentBytes;
        }

        long receivedBytes() {
            return receivedBytes;
        }
    }

    private static final int DATAGRAM_BYTES = 2_048;
    /** Maximum number of datagrams to read from one source before the next source is read. */
    private static final int READS_PER_SOURCE = 64;
    private static final int HOSTS_PER_NETWORK = 250;

    private final Selector selector;
    private final InetSocketAddress target;
    private final List<Source> sources = new ArrayList<>();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
    private long refused;

    AttackSources(InetSocketAddress target) throws IOException {
        this.target = target;
        selector = Selector.open();
    }

    /**
     * Binds one socket to each of {@code count} different addresses, the first of which is {@code 127.network.0.1}. The sockets receive the
     * datagrams that the server sends to these addresses.
     */
    List<Source> bind(int network, int count) throws IOException {
        List<Source> bound = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String host = "127." + network + '.' + i / HOSTS_PER_NETWORK + '.' + (1 + i % HOSTS_PER_NETWORK);
            Source source = open(new InetSocketAddress(host, 0), false);
            source.socket.register(selector, SelectionKey.OP_READ, source);
            bound.add(source);
        }
        sources.addAll(bound);
        return bound;
    }

    /**
     * Binds one socket to the address and port of each live client. The socket of each client must permit this with {@code SO_REUSEADDR}.
     * Because the socket of the client is connected, the kernel still delivers the datagrams of the server to the client and not to the
     * attacker.
     */
    List<Source> impersonate(List<InetSocketAddress> clients) throws IOException {
        List<Source> bound = new ArrayList<>();
        for (InetSocketAddress client : clients) {
            bound.add(open(client, true));
        }
        sources.addAll(bound);
        return bound;
    }

    private static Source open(InetSocketAddress local, boolean reuse) throws IOException {
        DatagramChannel socket = DatagramChannel.open();
        try {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, reuse);
            socket.bind(local);
            return new Source(socket, (InetSocketAddress) socket.getLocalAddress());
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    /** Sends a datagram to the server. Returns {@code false} if the kernel currently does not accept the datagram. */
    boolean send(Source source, ByteBuffer bytes) throws IOException {
        int sent = source.socket.send(bytes, target);
        source.sentBytes += sent;
        if (sent == 0) {
            refused++;
        }
        return sent > 0;
    }

    /** Reads all datagrams that have arrived. The receiver borrows each datagram. */
    void read(BiConsumer<Source, ByteBuffer> receiver) throws IOException {
        selector.selectNow(key -> {
            try {
                read((Source) key.attachment(), receiver);
            } catch (IOException failure) {
                key.cancel();
            }
        });
    }

    private void read(Source source, BiConsumer<Source, ByteBuffer> receiver) throws IOException {
        for (int i = 0; i < READS_PER_SOURCE && source.socket.receive(datagram.clear()) != null; i++) {
            datagram.flip();
            source.receivedBytes += datagram.remaining();
            receiver.accept(source, datagram);
        }
    }

    /** Returns the number of datagrams that the kernel did not accept. */
    long refused() {
        return refused;
    }

    @Override
    public void close() throws IOException {
        for (Source source : sources) {
            source.socket.close();
        }
        selector.close();
    }
}
