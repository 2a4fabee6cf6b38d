package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Converts the results of simulated runs, which the tables of {@code kcp-testkit} write with one line per run, to a result file. Each line
 * contains the name of the run and its values, separated by tabs. {@code src/build/measure.sh} contains the commands.
 */
@Command(name = "collect", description = "Converts the results of simulated runs to a result file.", mixinStandardHelpOptions = true)
public final class Collect implements Callable<Integer> {

    private static final Pattern GROUP = Pattern.compile("\\(\\?<(\\w+)>");
    private static final String SEED = "seed";

    @Option(names = "--in", required = true, description = "file with the results of the runs")
    @SuppressWarnings("NullAway.Init")
    private Path in;

    @Option(names = "--out", required = true, description = "result file to write; its name is that of the experiment")
    @SuppressWarnings("NullAway.Init")
    private Path out;

    @Option(names = "--name", required = true,
        description = "regular expression of the names of the runs; its named groups are the keys of the cell, and 'seed' is the round")
    @SuppressWarnings("NullAway.Init")
    private Pattern name;

    @Option(names = "--metrics", required = true, split = ",", description = "names of the values")
    private List<String> metrics = List.of();

    @Option(names = "--command", required = true, description = "command that repeats the simulation")
    @SuppressWarnings("NullAway.Init")
    private String command;

    /** Runs the command and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Collect()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        String experiment = String.valueOf(out.getFileName()).replaceFirst("\\.json$", "");
        ResultFile.Builder builder = ResultFile.start(experiment, List.of(command.split(" ")), Map.of());
        int ignored = 0;
        for (String line : Files.readAllLines(in)) {
            String[] fields = line.split("\t");
            Matcher matcher = name.matcher(fields[0]);
            if (matcher.matches()) {
                add(builder, matcher, fields);
            } else {
                ignored++;
            }
        }
        builder.write(out);
        System.out.println(out + ": " + ignored + " runs have other names");
        return 0;
    }

    private void add(ResultFile.Builder builder, Matcher matcher, String... fields) {
        Map<String, String> cell = new LinkedHashMap<>();
        GROUP.matcher(name.pattern()).results().map(group -> group.group(1)).filter(key -> !key.equals(SEED))
            .filter(key -> matcher.group(key) != null).forEach(key -> cell.put(key, matcher.group(key)));
        double[] values = Stream.of(fields).skip(1).mapToDouble(Double::parseDouble).toArray();
        Map<String, Double> named = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(values.length, metrics.size()); i++) {
            named.put(metrics.get(i), values[i]);
        }
        builder.add(cell, Integer.parseInt(matcher.group(SEED)), Double.NaN, named);
    }
}
