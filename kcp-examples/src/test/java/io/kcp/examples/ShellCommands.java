package io.kcp.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks that shell commands refer to things that exist: files and folders of the repository, Maven modules and profiles, classes,
 * tests, and the options of this project's programs. Options of other programs are not checked.
 */
final class ShellCommands {

    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+");
    private static final Pattern OURS = Pattern.compile("\\./?(?:src|kcp-\\w+|\\.ci)/.*|(?:src|kcp-\\w+|\\.ci)/.*");
    private static final Pattern CLASS = Pattern.compile("io\\.kcp(?:\\.[a-z]\\w*)+\\.[A-Z]\\w*");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

    private ShellCommands() {
    }

    /** Returns the problems found in the commands. */
    static List<String> complaints(String commands) {
        List<String> complaints = new ArrayList<>();
        for (String line : commands.replace("\\\n", " ").lines().toList()) {
            for (String command : line.replaceFirst("(^|\\s)#.*", "").split("&&|\\|\\||[|;&]")) {
                check(words(command), complaints);
            }
        }
        return complaints;
    }

    private static List<String> words(String command) {
        return WORD.matcher(command).results().map(found -> found.group().replaceAll("[\"']", "")).collect(Collectors.toList());
    }

    private static void check(List<String> words, List<String> complaints) {
        boolean maven = words.contains("mvn");
        Path program = null;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.endsWith("kcp.jar") && words.contains("-jar")) {
                program = source("KcpCommand", "main", complaints);
            } else if (OURS.matcher(word).matches()) {
                Path script = exists(word, complaints);
                program = script != null && program == null ? script : program;
            } else if (CLASS.matcher(word).matches()) {
                program = source(word.substring(word.lastIndexOf('.') + 1), "main", complaints);
            } else if (maven && word.startsWith("-Dmain=")) {
                program = source(word.substring("-Dmain=".length()), "main", complaints);
            } else if (maven && word.startsWith("-Dtest=")) {
                source(word.substring("-Dtest=".length()).replaceFirst("#.*", ""), "test", complaints);
            } else if (maven && word.startsWith("-P")) {
                profile(word.substring(2), complaints);
            } else if (maven && word.equals("-pl")) {
                Stream.of(words.get(i + 1).split(",")).forEach(module -> exists(module + "/pom.xml", complaints));
            }
        }
        if (program != null) {
            options(program, words, complaints);
        }
    }

    /** Checks that a path exists. For build output, which may not exist yet, only the module is checked. */
    private static Path exists(String word, List<String> complaints) {
        String built = word.replaceFirst("/(?:target|build)/.*", "").replaceFirst("[*$].*", "");
        Path path = DocumentPage.ROOT.resolve(built).normalize();
        if (!Files.exists(path)) {
            complaints.add("there is no " + word);
            return null;
        }
        return built.equals(word) && Files.isRegularFile(path) && !word.endsWith("pom.xml") ? path : null;
    }

    private static Path source(String name, String kind, List<String> complaints) {
        if (name.contains("*")) {
            return null;
        }
        Path found = sources().filter(file -> file.endsWith(name + ".java") && file.toString().contains("/src/" + kind + "/")).findFirst()
            .orElse(null);
        if (found == null) {
            complaints.add("there is no class " + name);
        }
        return found;
    }

    private static void profile(String name, List<String> complaints) {
        try (Stream<Path> files = Files.walk(DocumentPage.ROOT, 4)) {
            if (files.filter(file -> file.endsWith("pom.xml")).noneMatch(pom -> read(pom).contains("<id>" + name + "</id>"))) {
                complaints.add("there is no profile " + name);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Checks that each option occurs in the source of the program or, for Java programs, in the sources of its module. The examples share
     * options with kcp-tools.
     */
    private static void options(Path program, List<String> words, List<String> complaints) {
        Set<String> known = program.toString().endsWith(".java") ? optionsOf(sources().filter(
            file -> (file.startsWith(moduleOf(program)) || file.startsWith(DocumentPage.ROOT.resolve("kcp-tools")))
                && file.toString().contains("/src/main/"))) : optionsOf(Stream.of(program));
        for (String word : words) {
            String value = word.startsWith("-Dargs=") ? word.substring("-Dargs=".length()) : word;
            Stream.of(value.split("[\\s=]+")).filter(part -> OPTION.matcher(part).matches() && !known.contains(part))
                .forEach(part -> complaints.add(program.getFileName() + " has no option " + part));
        }
    }

    private static Set<String> optionsOf(Stream<Path> files) {
        return files.flatMap(file -> OPTION.matcher(read(file)).results().map(MatchResult::group))
            .collect(Collectors.toSet());
    }

    private static Path moduleOf(Path source) {
        Path folder = source;
        while (!folder.endsWith("src")) {
            folder = folder.getParent();
        }
        return folder.getParent();
    }

    /** Returns all Java sources of the repository. */
    static Stream<Path> sources() {
        try (Stream<Path> modules = Files.list(DocumentPage.ROOT)) {
            return modules.filter(folder -> Files.exists(folder.resolve("pom.xml"))).flatMap(ShellCommands::javaBelow).toList().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Stream<Path> javaBelow(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java") && file.toString().contains("/src/")).toList().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
