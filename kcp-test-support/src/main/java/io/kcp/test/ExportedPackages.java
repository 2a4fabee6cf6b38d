package io.kcp.test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Reads which packages a module exports. */
public final class ExportedPackages {

    private ExportedPackages() {
    }

    /**
     * Returns the packages that the module of a class exports, to all or to some modules.
     *
     * @param type the class, in a directory of class files
     * @return the exports
     * @throws IOException if the module has no descriptor there
     */
    public static Set<ModuleDescriptor.Exports> ofModule(Class<?> type) throws IOException {
        Path classes;
        try {
            classes = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
        try (InputStream module = Files.newInputStream(classes.resolve("module-info.class"))) {
            return ModuleDescriptor.read(module).exports();
        }
    }
}
