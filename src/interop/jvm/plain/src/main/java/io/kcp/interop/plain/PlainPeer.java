package io.kcp.interop.plain;

import io.kcp.interop.peer.Options;
import io.kcp.interop.peer.Peer;
import io.kcp.interop.peer.Protocol;

/** Load program of the protocols with which KCP is compared: TCP, QUIC and plain UDP, all on Netty's epoll transport. */
public final class PlainPeer {

    private PlainPeer() {
    }

    /** Runs the load program of the protocol that the {@code --protocol} option names. */
    public static void main(String[] arguments) {
        Peer.run(arguments, PlainPeer::protocol);
    }

    private static Protocol protocol(Options options) {
        String name = options.text("protocol", "tcp");
        return switch (name) {
            case "tcp" -> new TcpProtocol(options);
            case "quic" -> new QuicProtocol(options);
            case "udp" -> new UdpProtocol(options);
            default -> throw new IllegalArgumentException("--protocol must be tcp, quic or udp, not " + name);
        };
    }
}
