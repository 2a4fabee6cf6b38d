package io.kcp.tools.tunnel;

import org.jspecify.annotations.Nullable;

/**
 * Identifies a TCP socket by host and port, or a Unix domain socket by its path. As in kcptun, a text without a colon is a path.
 *
 * @param host     the name or address, empty for all local addresses; null for a Unix domain socket
 * @param port     the TCP port, 0 for a Unix domain socket
 * @param unixPath the path of the Unix domain socket, null for TCP
 */
record StreamAddress(@Nullable String host, int port, @Nullable String unixPath) {

    private static final int MAX_PORT = 65_535;

    static StreamAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("'' (expected: host:port, or the path of a Unix domain socket)");
            }
            return new StreamAddress(null, 0, text);
        }
        String port = text.substring(colon + 1);
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > MAX_PORT) {
            throw new IllegalArgumentException("'" + text + "' (expected: a port from 0 to " + MAX_PORT + " after the colon)");
        }
        return new StreamAddress(PortRange.withoutBrackets(text.substring(0, colon)), Integer.parseInt(port), null);
    }

    boolean isUnix() {
        return unixPath != null;
    }

    @Override
    public String toString() {
        return unixPath != null ? unixPath : host + ":" + port;
    }
}
