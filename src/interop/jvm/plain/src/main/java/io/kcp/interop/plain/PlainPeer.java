package io.kcp.interop.plain;

import io.kcp.bench.rig.LoadProgram;
import io.kcp.bench.rig.Product;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.Setup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Load program of the protocols with which KCP is compared: TCP, QUIC and plain UDP, all on Netty's epoll transport. */
public final class PlainPeer implements Product {

    /** Values of the {@code --protocol} option. */
    private enum Name { TCP, QUIC, UDP }

    @Option(names = "--protocol", description = "tcp, quic or udp (${DEFAULT-VALUE})")
    private Name protocol = Name.TCP;

    @Option(names = "--mtu", defaultValue = "1400", description = "quic, udp: size of a datagram in bytes (${DEFAULT-VALUE})")
    int mtuBytes;

    @Option(names = "--sockbuf", defaultValue = "4194304",
        description = "quic, udp: sizes of the socket buffers in bytes (${DEFAULT-VALUE})")
    int socketBufferBytes;

    @Option(names = "--congestion", defaultValue = "",
        description = "tcp: congestion control, for example cubic or bbr (that of the system)")
    String congestionControl = "";

    @Mixin
    final QuicProtocol.Options quic = new QuicProtocol.Options();

    @Mixin
    final UdpProtocol.Options udp = new UdpProtocol.Options();

    private PlainPeer() {
    }

    /** Runs the load program of the protocol that the {@code --protocol} option names. */
    public static void main(String[] arguments) {
        LoadProgram.main("plain-peer", new PlainPeer(), arguments);
    }

    @Override
    public Protocol start(Setup setup) {
        return switch (protocol) {
            case TCP -> new TcpProtocol(congestionControl, setup);
            case QUIC -> new QuicProtocol(this, setup);
            case UDP -> new UdpProtocol(this, setup);
        };
    }
}
