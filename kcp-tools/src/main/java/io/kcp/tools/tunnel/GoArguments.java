package io.kcp.tools.tunnel;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Rewrites arguments in the format of Go programs, which also accept long options with a single dash, such as {@code -mode fast}. */
final class GoArguments {

    private GoArguments() {
    }

    /**
     * Returns the arguments with two dashes before each long option.
     *
     * @param arguments the arguments of the command
     * @param command   the command whose options are recognised
     */
    static List<String> rewrite(List<String> arguments, CommandSpec command) {
        List<String> rewritten = new ArrayList<>();
        boolean isValue = false;
        for (String argument : arguments) {
            String text = argument;
            if (isValue) {
                isValue = false;
            } else {
                int equals = argument.indexOf('=');
                String name = equals < 0 ? argument : argument.substring(0, equals);
                OptionSpec option = command.findOption(name);
                if (option == null && name.length() > 2 && name.charAt(0) == '-' && name.charAt(1) != '-') {
                    option = command.findOption('-' + name);
                    text = option == null ? argument : '-' + argument;
                }
                isValue = option != null && equals < 0 && option.arity().min() > 0;
            }
            rewritten.add(text);
        }
        return rewritten;
    }
}
