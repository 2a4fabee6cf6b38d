import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Counts the test cases in Surefire's XML reports, and prints why cases were skipped: {@code java TestCounts.java DIRECTORY...}. The
 * program reads all files {@code TEST-*.xml} below the directories. A case that ran in several directories counts each time. The program
 * fails if there is no report.
 */
public final class TestCounts {

    private static final String PREFIX_OF_ASSUMPTIONS = "org.opentest4j.TestAbortedException: ";
    private static final String PREFIX_OF_JUNIT = "Assumption failed: ";
    private static final int SHOWN_CASES = 3;

    private final DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    private final Map<String, List<String>> skippedByReason = new TreeMap<>();
    private int reports;
    private int passed;
    private int failed;
    private int skipped;

    private TestCounts() throws ParserConfigurationException {
    }

    public static void main(String[] directories) throws IOException, ParserConfigurationException, SAXException {
        TestCounts counts = new TestCounts();
        for (String directory : directories) {
            counts.readBelow(Path.of(directory));
        }
        if (counts.reports == 0) {
            System.err.println("No file TEST-*.xml below " + String.join(", ", directories));
            System.exit(1);
        }
        counts.print();
    }

    private void readBelow(Path directory) throws IOException, SAXException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList();
        }
        for (Path file : files) {
            reports++;
            NodeList cases = parser.parse(file.toFile()).getElementsByTagName("testcase");
            for (int i = 0; i < cases.getLength(); i++) {
                count((Element) cases.item(i));
            }
        }
    }

    private void count(Element test) {
        Element skip = child(test, "skipped");
        if (child(test, "failure") != null || child(test, "error") != null) {
            failed++;
        } else if (skip != null) {
            skipped++;
            skippedByReason.computeIfAbsent(reason(skip), first -> new ArrayList<>())
                .add(test.getAttribute("classname") + "." + test.getAttribute("name"));
        } else {
            passed++;
        }
    }

    private static Element child(Element test, String name) {
        return (Element) test.getElementsByTagName(name).item(0);
    }

    /** Returns the message of a disabled condition, or the first line of the exception of a failed assumption. */
    private static String reason(Element skip) {
        String message = skip.getAttribute("message");
        if (message.isEmpty()) {
            message = skip.getTextContent().lines().findFirst().orElse("no reason");
        }
        for (String prefix : List.of(PREFIX_OF_ASSUMPTIONS, PREFIX_OF_JUNIT)) {
            message = message.startsWith(prefix) ? message.substring(prefix.length()) : message;
        }
        return message;
    }

    private void print() {
        skippedByReason.entrySet().stream().sorted(Comparator.comparing(entry -> -entry.getValue().size())).forEach(entry -> {
            List<String> tests = entry.getValue();
            System.out.println(tests.size() + " skipped: " + entry.getKey());
            tests.stream().limit(SHOWN_CASES).forEach(test -> System.out.println("    " + test));
            if (tests.size() > SHOWN_CASES) {
                System.out.println("    and " + (tests.size() - SHOWN_CASES) + " more");
            }
        });
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
    }
}
