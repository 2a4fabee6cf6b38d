package io.kcp.bench.rig;

import picocli.CommandLine.Option;

/** Command-line options that server and client of every load program have. */
final class ProgramOptions {

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "address of the server (${DEFAULT-VALUE})")
    String host = "";

    @Option(names = "--threads", description = "number of event loops (one per processor)")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--write-bytes", defaultValue = "0",
        description = "size of one write in bytes (16384 for source and echo, 200 for delay, otherwise 64)")
    int writeBytes;

    @Option(names = "--quiet", description = "do not print progress to standard error")
    boolean quiet;

    @Option(names = "--histogram", defaultValue = "0",
        description = "number of classes that grew most between two \"memory\" commands to print to standard error (${DEFAULT-VALUE})")
    int histogramRows;

    Setup setup(boolean server, Work work, LoadMeter meter, Termination termination) {
        return new Setup(server, work, host, threads, writeBytes > 0 ? writeBytes : work.defaultWriteBytes(), meter, termination);
    }
}
