package io.kcp.netty;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A recorded session between a kcp-go client and a kcp-go echo server, as captured by a relay between them. */
record RecordedSession(int conv, int mtuBytes, int windowSegments, String cipherName, byte[] key, int dataShards,
    int parityShards, int appBytes, String appSha256, List<String> oobReceivedByServer, List<Datagram> datagrams) {

    /** One datagram that arrived at the relay. The relay did not forward it if {@code dropped} is set. */
    record Datagram(int atMs, boolean fromClient, boolean dropped, byte[] bytes) {
    }

    private static final Pattern NUMBER_OR_TEXT = Pattern.compile("\"(\\w+)\":\"?([^\",}]*)");

    /** Reads a recording by its name without extension. */
    static RecordedSession load(String name) {
        try (InputStream in = RecordedSession.class.getResourceAsStream(name + ".jsonl");
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String head = lines.readLine();
            String[] cipherAndKey = field(head, "key").split(":", 2);
            boolean plain = cipherAndKey[0].startsWith("(");
            return new RecordedSession(Integer.parseUnsignedInt(field(head, "conv")), number(head, "mtu"),
                number(head, "window"), plain ? "null" : cipherAndKey[0],
                HexFormat.of().parseHex(plain ? "" : cipherAndKey[1]), number(head, "dataShards"),
                number(head, "parityShards"), number(head, "appBytes"), field(head, "appSha256"), oob(head),
                lines.lines().map(RecordedSession::datagram).toList());
        } catch (IOException e) {
            throw new AssertionError(name, e);
        }
    }

    private static List<String> oob(String head) {
        Matcher list = Pattern.compile("\"oobReceivedByServer\":\\[([^]]*)]").matcher(head);
        return list.find() && !list.group(1).isEmpty() ? List.of(list.group(1).replace("\"", "").split(",")) : List.of();
    }

    private static int number(String line, String name) {
        return Integer.parseInt(field(line, name));
    }

    private static Datagram datagram(String line) {
        return new Datagram(number(line, "t"), field(line, "d").startsWith("c"),
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
