package io.kcp.examples.arena.web;

import io.kcp.examples.arena.OwnProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A page in a Chromium of its own, driven by its DevTools protocol: what a test needs of it. */
final class DevTools implements AutoCloseable {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final int SECONDS = 20;

    private final JsonMapper json = JsonMapper.builder().build();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lastId = new AtomicInteger();
    private final OwnProcess browser;
    private final WebSocket socket;

    private DevTools(OwnProcess browser, URI page) {
        this.browser = browser;
        socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Listener())
            .orTimeout(SECONDS, TimeUnit.SECONDS).join();
        command("Runtime.enable", Map.of());
    }

    /** Finds the program. */
    static @Nullable Path findBrowser() {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
            for (String name : NAMES) {
                Path program = Path.of(directory, name);
                if (Files.isExecutable(program)) {
                    return program;
                }
            }
        }
        return null;
    }

    /** Starts the program with an empty profile and all else that it writes in a folder, which the caller removes. */
    static DevTools open(Path program, Path folder, int width, int height) throws IOException, InterruptedException {
        String home = Files.createDirectory(folder.resolve("home")).toString();
        String temporary = Files.createDirectory(folder.resolve("tmp")).toString();
        OwnProcess browser = OwnProcess.start("browser", folder, List.of(program.toString(), "--headless=new", "--no-sandbox",
            "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--disable-breakpad", "--hide-scrollbars", "--user-data-dir=" + folder.resolve("profile"),
            "--window-size=" + width + ',' + height, "--remote-debugging-port=0", "--remote-allow-origins=*", "about:blank"),
            Map.of("HOME", home, "XDG_CONFIG_HOME", home, "XDG_CACHE_HOME", home, "TMPDIR", temporary));
        try {
            return new DevTools(browser, page(browser, folder.resolve("profile/DevToolsActivePort")));
        } catch (RuntimeException | IOException | InterruptedException failure) {
            browser.close();
            throw failure;
        }
    }

    /** The program writes its port into a file when it is ready. */
    private static URI page(OwnProcess browser, Path portFile) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() - endNanos < 0 && browser.isAlive()) {
            if (Files.exists(portFile) && Files.readAllLines(portFile).size() == 2) {
                URI pages = URI.create("http://127.0.0.1:" + Files.readAllLines(portFile).get(0) + "/json/list");
                byte[] list = pages.toURL().openStream().readAllBytes();
                for (JsonNode target : JsonMapper.builder().build().readTree(list)) {
                    if (target.get("type").asString().equals("page")) {
                        return URI.create(target.get("webSocketDebuggerUrl").asString());
                    }
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IOException("the browser did not start: " + browser.output());
    }

    /** Sends a command and waits for its answer. */
    JsonNode command(String method, Map<String, ?> parameters) {
        int id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(json.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true);
        return answer.orTimeout(SECONDS, TimeUnit.SECONDS).join();
    }

    /** Evaluates an expression of JavaScript whose value is a string or a number. */
    String evaluate(String expression) {
        JsonNode answer = command("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
        }
        JsonNode value = answer.path("result").path("value");
        return value.isMissingNode() ? "" : value.asString();
    }

    double number(String expression) {
        return Double.parseDouble(evaluate("String(" + expression + ')'));
    }

    /** What scripts of the page threw and nobody caught, and what they wrote as errors. */
    List<String> errors() {
        return List.copyOf(errors);
    }

    void screenshot(Path file) throws IOException {
        String data = command("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true)).get("data").asString();
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode(data));
    }

    @Override
    public void close() {
        socket.abort();
        browser.close();
    }

    /** Puts the parts of a text together and completes what waits for it. */
    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                JsonNode message = json.readTree(text.toString());
                text.setLength(0);
                noteErrors(message);
                CompletableFuture<JsonNode> answer = message.has("id") ? answers.remove(message.get("id").asInt()) : null;
                if (answer != null) {
                    if (message.has("error")) {
                        answer.completeExceptionally(new IOException(message.get("error").toString()));
                    } else {
                        answer.complete(message.get("result"));
                    }
                }
            }
            from.request(1);
            return null;
        }

        private void noteErrors(JsonNode message) {
            String event = message.path("method").asString("");
            JsonNode parameters = message.path("params");
            if (event.equals("Runtime.exceptionThrown")) {
                errors.add(parameters.path("exceptionDetails").toString());
            } else if (event.equals("Runtime.consoleAPICalled") && parameters.path("type").asString("").equals("error")) {
                errors.add(parameters.path("args").toString());
            }
        }
    }
}
