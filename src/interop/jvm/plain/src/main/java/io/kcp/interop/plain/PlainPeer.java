package io.kcp.interop.plain;

import io.kcp.interop.peer.Options;
import io.kcp.interop.peer.Peer;
import io.kcp.interop.peer.Protocol;

/** What KCP is compared with: TCP, QUIC and bare UDP, all over Netty's epoll. */
public final class PlainPeer {

    private PlainPeer() {
    }

    /** Runs the program. */
    public static void main(String[] arguments) {
        Peer.run(arguments, PlainPeer::protocol);
    }

    private static Protocol protocol(Options options) {
        String name = options.text("protocol", "tcp");
        return switch (name) {
            case "tcp" -> new TcpProtocol(options);
            case "quic" -> new QuicProtocol(options);
            case "udp" -> new UdpProtocol(options);
            default -> throw new IllegalArgumentException("no protocol " + name);
        };
    }
}
