package io.kcp.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs another main class, and prints the leaks of its buffers when the JVM exits. {@link ChildProcess} fails if it reads such a report. A
 * program that is killed reports only the leaks that Netty has detected until then.
 */
public final class CheckedProgram {

    private CheckedProgram() {
    }

    /**
     * Runs the program.
     *
     * @param arguments the main class and its arguments
     * @throws Throwable the exception of the program
     */
    public static void main(String[] arguments) throws Throwable {
        ListeningLeakDetectors detectors =
            ListeningLeakDetectors.install((type, records) -> System.out.println(ChildProcess.LEAK + type + records));
        Runtime.getRuntime().addShutdownHook(new Thread(detectors::reportUnreachable, "leak report"));
        Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
    }
}
