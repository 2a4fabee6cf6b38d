package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the tests of testing.md unchanged and runs them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TestingPageTest {

    private static final String PACKAGE = "documents.src_site_markdown_testing_md.";

    @TempDir
    private Path classes;

    @Test
    void testsOfThePagePass() throws Exception {
        DocumentPage page = DocumentPage.read(DocumentPage.ROOT.resolve("src/site/markdown/testing.md"));
        assertThat(new JavaBlocks().compile(page, classes)).isEmpty();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            run(loader.loadClass(PACKAGE + "SimulatedTransferTest"), "megabyteArrivesAtFivePercentLoss");
            run(loader.loadClass(PACKAGE + "ManyTransfersTest"), "messagesArriveAtTenPercentLoss");
            run(loader.loadClass(PACKAGE + "LossyEchoTest"), "messagesAreEchoedInOrder");
        }
    }

    private static void run(Class<?> type, String test) throws Exception {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Method method = type.getDeclaredMethod(test);
        method.setAccessible(true);
        method.invoke(constructor.newInstance());
    }
}
