package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Builds programs of earlier commits. The jars are kept in {@code target/before}, so that each commit is built only once. */
final class EarlierBuild {

    private static final int GIT_SECONDS = 120;
    private static final int MAVEN_SECONDS = 1_800;

    /** Programs that an experiment can compare with their earlier version. */
    enum Program {
        /** The load program. */
        LOAD("kcp-bench", "bench", "benchmarks.jar"),
        /** The tunnel. */
        TUNNEL("kcp-tools", "tools", "kcp.jar"),
        /** The tunnel before it was part of kcp-tools. */
        TUNNEL_OF_EXAMPLES("kcp-examples", "tunnel", "kcp-tunnel.jar");

        private final String module;
        private final String profile;
        private final String jar;

        Program(String module, String profile, String jar) {
            this.module = module;
            this.profile = profile;
            this.jar = jar;
        }

        /** Returns the program of a commit, of which only the tunnel has moved. */
        private Program in(Path worktree) {
            return this == TUNNEL && !Files.isDirectory(worktree.resolve(module)) ? TUNNEL_OF_EXAMPLES : this;
        }
    }

    private EarlierBuild() {
    }

    /** Returns a jar that was passed as a path, or builds that of a commit. */
    static Path resolve(String jarOrCommit, Program program) throws IOException, InterruptedException {
        Path jar = Path.of(jarOrCommit);
        return Files.isRegularFile(jar) ? jar.toAbsolutePath() : ofCommit(jarOrCommit, program);
    }

    private static Path ofCommit(String commit, Program program) throws IOException, InterruptedException {
        Path here = Path.of("").toAbsolutePath();
        Path clone = Path.of(run(here, GIT_SECONDS, "git", "rev-parse", "--show-toplevel"));
        String hash = run(here, GIT_SECONDS, "git", "rev-parse", "--verify", "--quiet", commit + "^{commit}");
        Path directory = clone.resolve("target").resolve("before").resolve(hash);
        Path jar = directory.resolve(program.jar);
        if (!Files.isRegularFile(jar)) {
            Path worktree = directory.resolve("worktree");
            System.err.println("building " + program.jar + " of commit " + hash);
            Files.createDirectories(directory);
            run(clone, GIT_SECONDS, "git", "worktree", "add", "--force", "--detach", worktree.toString(), hash);
            try {
                Program built = program.in(worktree);
                run(worktree, MAVEN_SECONDS, "mvn", "-B", "-ntp", "-q", "-P" + built.profile, "-Dmaven.test.skip", "-Dcheckstyle.skip",
                    "-pl", built.module, "-am", "package");
                Files.copy(worktree.resolve(built.module).resolve("target").resolve(built.jar), jar,
                    StandardCopyOption.REPLACE_EXISTING);
            } finally {
                run(clone, GIT_SECONDS, "git", "worktree", "remove", "--force", worktree.toString());
            }
        }
        return jar;
    }

    /** Runs a command and returns its output. */
    private static String run(Path directory, int timeoutSeconds, String... command) throws IOException, InterruptedException {
        Path log = Files.createTempFile("earlier-build", ".log");
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(log.toFile()).start();
        try {
            boolean ended = process.waitFor(timeoutSeconds, TimeUnit.SECONDS);
            String output = Files.readString(log, StandardCharsets.UTF_8).strip();
            if (!ended || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", List.of(command)) + (ended ? " failed" : " did not end in time")
                    + (output.isEmpty() ? "" : ": " + output));
            }
            return output;
        } finally {
            process.destroyForcibly();
            Files.delete(log);
        }
    }
}
