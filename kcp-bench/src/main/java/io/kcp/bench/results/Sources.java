package io.kcp.bench.results;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commit of the working directory and the jar that is running. */
record Sources(@Nullable String commit, boolean modified) {

    /** The documentation is excluded, because writing one result file must not mark the next one as modified. */
    private static final List<String> STATUS = List.of("status", "--porcelain", "--untracked-files=no", "--", ":(top)",
        ":(top,exclude)src/site", ":(top,exclude)*.md");

    static Sources current() {
        return of(Path.of(""));
    }

    /** Describes a directory, whose commit is null if the directory is not in a clone. */
    static Sources of(Path directory) {
        String commit = git(directory, List.of("rev-parse", "HEAD"));
        String changes = git(directory, STATUS);
        return new Sources(commit, commit != null && (changes == null || !changes.isEmpty()));
    }

    /** Returns the output of a git command, or null if git is not installed or the command failed. */
    private static @Nullable String git(Path directory, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(arguments);
        try {
            Process git = new ProcessBuilder(command).directory(directory.toAbsolutePath().toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? output : null;
        } catch (IOException noGit) {
            return null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Returns the SHA-256 of the jar that contains this class, or null if the class is not in a jar. */
    static @Nullable String jarSha256() {
        try {
            Path jar = Path.of(Sources.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return Files.isRegularFile(jar) ? sha256(jar) : null;
        } catch (URISyntaxException invalid) {
            throw new IllegalStateException(invalid);
        }
    }

    static String sha256(Path file) {
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(((DigestInputStream) in).getMessageDigest().digest());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
