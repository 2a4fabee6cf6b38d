package io.kcp.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * HTTP server behind a tunnel. {@code GET /OFFSET/BYTES} returns a part of a fixed content, and {@code POST} returns the SHA-256 of the
 * request body. Half of the content is random, and half compresses well.
 */
final class TunnelTarget implements AutoCloseable {

    static final int CONTENT_BYTES = 20_000_000;

    private static final int BLOCK_BYTES = 50_000;
    private static final int OK = 200;
    private static final byte[] CONTENT = content();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    TunnelTarget() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        server.setExecutor(threads);
        server.createContext("/", TunnelTarget::respond);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Returns the hexadecimal SHA-256 of a part of the content. */
    static String sha256(int offset, int bytes) {
        MessageDigest digest = Sha256.newDigest();
        digest.update(CONTENT, offset, bytes);
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns the beginning of the content. */
    static byte[] content(int bytes) {
        return Arrays.copyOf(CONTENT, bytes);
    }

    private static byte[] content() {
        SplittableRandom random = new SplittableRandom(1);
        byte[] content = new byte[CONTENT_BYTES];
        random.nextBytes(content);
        for (int i = 0; i < content.length; i++) {
            if (i / BLOCK_BYTES % 2 == 1) {
                content[i] = (byte) ('0' + (content[i] & 1));
            }
        }
        return content;
    }

    private static void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("POST")) {
                try (InputStream body = exchange.getRequestBody();
                     DigestInputStream digesting = new DigestInputStream(body, Sha256.newDigest())) {
                    digesting.transferTo(OutputStream.nullOutputStream());
                    byte[] response = HexFormat.of().formatHex(digesting.getMessageDigest().digest()).getBytes(StandardCharsets.US_ASCII);
                    exchange.sendResponseHeaders(OK, response.length);
                    exchange.getResponseBody().write(response);
                }
            } else {
                String[] path = exchange.getRequestURI().getPath().split("/");
                int bytes = Integer.parseInt(path[2]);
                exchange.sendResponseHeaders(OK, bytes);
                exchange.getResponseBody().write(CONTENT, Integer.parseInt(path[1]), bytes);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
