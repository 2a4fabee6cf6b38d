package io.kcp.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds imports of a package that is above the importing one. The bytecode does not contain imports that only a comment uses, nor those of
 * constants.
 */
public final class UpwardImports {

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?([a-z][\\w.]*?)\\.[A-Z][\\w.]*;", Pattern.MULTILINE);

    private UpwardImports() {
    }

    /**
     * Returns the imports of packages that are above the importing one.
     *
     * @param sources the folder of the sources
     * @param layers  the packages from the lowest to the highest; other packages are ignored
     * @return a line for each such import
     * @throws IOException if a source cannot be read
     */
    public static List<String> find(Path sources, List<String> layers) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().flatMap(file -> of(file, layers)).toList();
        }
    }

    private static Stream<String> of(Path file, List<String> layers) {
        String source;
        try {
            source = Files.readString(file);
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
        Matcher own = PACKAGE.matcher(source);
        int layer = own.find() ? layers.indexOf(own.group(1)) : -1;
        return layer < 0 ? Stream.empty() : IMPORT.matcher(source).results().filter(found -> layers.indexOf(found.group(1)) > layer)
            .map(found -> file.getFileName() + ": " + found.group());
    }
}
