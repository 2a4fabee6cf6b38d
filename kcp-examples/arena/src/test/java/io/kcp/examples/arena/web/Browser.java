package io.kcp.examples.arena.web;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Page in a separate Chromium process that Selenium controls. The paths of both programs are set, so that Selenium downloads nothing. */
final class Browser implements AutoCloseable {

    private static final File CHROMIUM = new File("/usr/bin/chromium");
    private static final File DRIVER = new File("/usr/bin/chromedriver");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts Chromium, or skips the test without it. All files are written to a folder, which the caller removes. */
    static Browser open(Path folder, int width, int height) throws IOException {
        assumeTrue(CHROMIUM.canExecute() && DRIVER.canExecute(),
            "Chromium or its driver is missing (Debian: apt-get install chromium chromium-driver)");
        String home = Files.createDirectory(folder.resolve("home")).toString();
        String temporary = Files.createDirectory(folder.resolve("tmp")).toString();
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER).usingAnyFreePort()
            .withEnvironment(Map.of("HOME", home, "XDG_CONFIG_HOME", home, "XDG_CACHE_HOME", home, "TMPDIR", temporary)).build();
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions().setBinary(CHROMIUM).addArguments("--headless=new", "--no-sandbox", "--disable-gpu",
            "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--disable-breakpad", "--hide-scrollbars", "--user-data-dir=" + folder.resolve("profile"),
            "--window-size=" + width + ',' + height);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        return new Browser(new ChromeDriver(service, options));
    }

    void show(String url) {
        driver.get(url);
    }

    /** Evaluates an expression of JavaScript. Returns an empty string if it has no value. */
    String evaluate(String expression) {
        Object value = driver.executeScript("return " + expression);
        return value == null ? "" : value.toString();
    }

    double number(String expression) {
        return Double.parseDouble(evaluate("String(" + expression + ')'));
    }

    /** Switches the page to a color scheme and waits until it is drawn. */
    void setColorScheme(String scheme) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        driver.executeAsyncScript("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))");
    }

    /** Returns the exceptions and errors of scripts since the last call. Requests that a stopped server refused do not count as errors. */
    List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().filter(entry -> entry.getLevel().equals(Level.SEVERE))
            .map(LogEntry::getMessage).filter(message -> !message.contains("Failed to load resource")).toList();
    }

    void screenshot(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
