package io.kcp.tools.tunnel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a JSON configuration file of kcptun, whose entries have the names of the options. Like kcptun, it ignores the case of the names
 * and skips unknown entries; unlike kcptun, it reports them.
 */
final class ConfigFile {

    /** Contains the arguments for the entries of the file, and the names of the entries that are not options. */
    record Content(List<String> arguments, List<String> unknown) { }

    private ConfigFile() {
    }

    /**
     * Converts the entries of a file to arguments.
     *
     * @param file    the file
     * @param command the command whose options are recognised
     * @throws IOException if the file cannot be read or is not a JSON object with simple values
     */
    static Content read(Path file, CommandSpec command) throws IOException {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(Files.readString(file));
        } catch (JacksonException invalid) {
            throw new IOException(file + " is not valid JSON: " + invalid.getOriginalMessage(), invalid);
        }
        if (!root.isObject()) {
            throw new IOException(file + " is not a JSON object");
        }
        List<String> arguments = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            JsonNode value = entry.getValue();
            if (value.isContainer()) {
                throw new IOException(file + ": the value of '" + entry.getKey() + "' is not a string, number or boolean");
            }
            OptionSpec option = command.findOption("--" + entry.getKey().toLowerCase(Locale.ROOT));
            if (option == null) {
                unknown.add(entry.getKey());
            } else if (!value.isNull()) {
                arguments.add(option.longestName() + '=' + value.asString());
            }
        }
        return new Content(arguments, unknown);
    }
}
