package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Markdown page that contains generated tables and charts between comments, such as {@code <!-- table: loopback -->}. */
final class GeneratedPage {

    /** Content of a block whose result file does not exist yet. */
    static final String NOT_MEASURED = "*Not measured yet.*\n";

    private static final Pattern BLOCK = Pattern.compile("(?sm)^<!-- (table|chart): (\\S+) -->\n(.*?)^<!-- end of \\1 -->$");
    private static final Pattern START = Pattern.compile("(?m)^<!-- (?:table|chart|end of (?:table|chart)).*");

    /**
     * A generated part of the page.
     *
     * @param kind    {@code table} or {@code chart}
     * @param content the text between the comments
     */
    record Block(String kind, String name, String content) {

        boolean isMeasured() {
            return !content.equals(NOT_MEASURED);
        }
    }

    private final String text;

    /** Parses a page. An exception reports comments without a partner. */
    GeneratedPage(String text) {
        this.text = text;
        Matcher stray = START.matcher(BLOCK.matcher(text).replaceAll(""));
        if (stray.find()) {
            throw new IllegalArgumentException("the block of this comment has no beginning or no end: " + stray.group());
        }
    }

    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        BLOCK.matcher(text).results().forEach(match -> blocks.add(block(match)));
        return blocks;
    }

    /** Returns the text with other contents of the blocks. */
    String with(Function<Block, String> content) {
        return BLOCK.matcher(text).replaceAll(match -> Matcher.quoteReplacement("<!-- " + match.group(1) + ": " + match.group(2) + " -->\n"
            + content.apply(block(match)) + "<!-- end of " + match.group(1) + " -->"));
    }

    /** Returns the text without blocks. Line numbers change. */
    String withoutBlocks() {
        return BLOCK.matcher(text).replaceAll("");
    }

    private static Block block(MatchResult match) {
        return new Block(match.group(1), match.group(2), match.group(3));
    }
}
