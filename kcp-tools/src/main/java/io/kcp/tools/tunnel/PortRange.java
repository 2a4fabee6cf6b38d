package io.kcp.tools.tunnel;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Identifies a host and one or more consecutive UDP ports, such as {@code vps:29900} or {@code vps:3000-3010}.
 *
 * @param host      the name or address, empty for all local addresses
 * @param firstPort the lowest port
 * @param lastPort  the highest port
 */
record PortRange(String host, int firstPort, int lastPort) {

    private static final Pattern FORMAT = Pattern.compile("(.*):(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final int MAX_PORT = 65_535;

    /**
     * Parses a host and a port or a range of ports.
     *
     * @throws IllegalArgumentException if the text has another format or the range is not valid. Port 0 is not valid in a range.
     */
    static PortRange parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' (expected: host:port or host:firstport-lastport)");
        }
        int first = Integer.parseInt(matcher.group(2));
        int last = matcher.group(3) == null ? first : Integer.parseInt(matcher.group(3));
        if (last > MAX_PORT || first > last || first == 0 && matcher.group(3) != null) {
            throw new IllegalArgumentException("'" + text + "' (expected: ports from 1 to " + MAX_PORT + ", the lower one first)");
        }
        return new PortRange(withoutBrackets(matcher.group(1)), first, last);
    }

    /** Returns the number of ports. */
    int size() {
        return lastPort - firstPort + 1;
    }

    /** Returns all ports in ascending order. */
    IntStream ports() {
        return IntStream.rangeClosed(firstPort, lastPort);
    }

    /** Returns a host without the brackets that surround an IPv6 address. */
    static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public String toString() {
        String name = host.indexOf(':') < 0 ? host : '[' + host + ']';
        return name + ':' + firstPort + (lastPort == firstPort ? "" : "-" + lastPort);
    }
}
