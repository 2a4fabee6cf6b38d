package io.kcp.core.fec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The output of kcp-go's encoder for some datagrams. */
record FecVector(FecShape shape, List<byte[]> matrix, List<byte[]> payloads, List<byte[]> datagrams) {

    private static final Pattern SHAPE = Pattern.compile("\"Data\":\\s*(\\d+),\\s*\"Parity\":\\s*(\\d+),\\s*\"Matrix\":\\s*\\[([^]]*)],"
        + "\\s*\"Payloads\":\\s*\\[([^]]*)],\\s*\"Datagrams\":\\s*\\[([^]]*)]");
    private static final Pattern HEX = Pattern.compile("\"([0-9a-f]*)\"");

    static List<FecVector> all() {
        Matcher matcher = SHAPE.matcher(text());
        List<FecVector> vectors = new ArrayList<>();
        while (matcher.find()) {
            FecShape shape = new FecShape(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            vectors.add(new FecVector(shape, bytes(matcher.group(3)), bytes(matcher.group(4)), bytes(matcher.group(5))));
        }
        return vectors;
    }

    @Override
    public String toString() {
        return shape.toString();
    }

    private static String text() {
        try (InputStream in = FecVector.class.getResourceAsStream("fec.json")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<byte[]> bytes(String list) {
        return HEX.matcher(list).results().map(match -> HexFormat.of().parseHex(match.group(1))).toList();
    }
}
