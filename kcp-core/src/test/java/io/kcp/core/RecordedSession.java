package io.kcp.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A session between a kcp-go client and a kcp-go server that echoes, as a relay between them saw it. */
record RecordedSession(int conv, int mtuBytes, int windowSegments, int appBytes, String appSha256, List<Datagram> datagrams) {

    /** One datagram at the relay; {@code dropped} is one that the relay did not pass on. */
    record Datagram(int atMs, boolean fromClient, boolean dropped, byte[] bytes) {
    }

    private static final Pattern NUMBER_OR_TEXT = Pattern.compile("\"(\\w+)\":\"?([^\",}]*)");

    static RecordedSession load(String name) {
        try (InputStream in = RecordedSession.class.getResourceAsStream(name + ".jsonl");
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String head = lines.readLine();
            return new RecordedSession(Integer.parseUnsignedInt(field(head, "conv")), Integer.parseInt(field(head, "mtu")),
                Integer.parseInt(field(head, "window")), Integer.parseInt(field(head, "appBytes")), field(head, "appSha256"),
                lines.lines().map(RecordedSession::datagram).toList());
        } catch (IOException e) {
            throw new AssertionError(name, e);
        }
    }

    private static Datagram datagram(String line) {
        return new Datagram(Integer.parseInt(field(line, "t")), field(line, "d").startsWith("c"),
            "true".equals(field(line, "drop")), HexFormat.of().parseHex(field(line, "x")));
    }

    private static String field(String line, String name) {
        Matcher matcher = NUMBER_OR_TEXT.matcher(line);
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                return matcher.group(2);
            }
        }
        return "";
    }
}
