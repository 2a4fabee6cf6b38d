package io.kcp.test;

import java.io.PrintWriter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes in a launcher session, as Surefire does, and prints how many tests succeeded. */
final class JUnitProgram {

    private JUnitProgram() {
    }

    public static void main(String[] classes) throws ClassNotFoundException {
        // Initializes the class, which UsedBuffer needs before JUnit discovers it.
        Class.forName(classes[0]);
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (LauncherSession session = LauncherFactory.openSession()) {
            for (String name : classes) {
                session.getLauncher().execute(LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(name))
                    .build(), summary);
                summary.getSummary().printFailuresTo(new PrintWriter(System.out, true));
                System.out.println(summary.getSummary().getTestsSucceededCount() + " succeeded");
            }
        }
    }
}
