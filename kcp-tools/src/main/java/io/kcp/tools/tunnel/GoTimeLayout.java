package io.kcp.tools.tunnel;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats times with layouts of Go. In a layout, the digits of 2006-01-02 15:04:05 are placeholders for the year, the month and so on. */
final class GoTimeLayout {

    /** Maps a placeholder of a Go layout to the equivalent pattern of {@link DateTimeFormatter}. */
    private record Element(String layout, String pattern) {

        boolean matches(String text, int offset) {
            if (!text.startsWith(layout, offset)) {
                return false;
            }
            // Go does not replace "Jan" and "Mon" in words such as "Janitor".
            int end = offset + layout.length();
            return !layout.equals("Jan") && !layout.equals("Mon") || end == text.length() || !Character.isLowerCase(text.charAt(end));
        }
    }

    /** Lists all placeholders. A placeholder follows all longer ones that start with it, because the first match is used. */
    private static final Element[] ELEMENTS = {
        new Element("January", "MMMM"), new Element("Jan", "MMM"), new Element("Monday", "EEEE"), new Element("Mon", "EEE"),
        new Element("MST", "zzz"), new Element("002", "DDD"), new Element("01", "MM"), new Element("02", "dd"), new Element("03", "hh"),
        new Element("04", "mm"), new Element("05", "ss"), new Element("06", "yy"), new Element("15", "HH"), new Element("1", "M"),
        new Element("2006", "yyyy"), new Element("_2006", "'_'yyyy"), new Element("_2", "ppd"), new Element("2", "d"),
        new Element("3", "h"), new Element("4", "m"), new Element("5", "s"), new Element("PM", "a"), new Element("pm", "a"),
        new Element("-07:00", "xxx"), new Element("-0700", "xx"), new Element("-07", "x"), new Element("Z07:00", "XXX"),
        new Element("Z0700", "XX"),
    };

    private GoTimeLayout() {
    }

    /** Returns the layout with each placeholder replaced by the value of the time. Other characters are copied. */
    static String format(String layout, ZonedDateTime time) {
        StringBuilder result = new StringBuilder();
        int offset = 0;
        while (offset < layout.length()) {
            Element element = elementAt(layout, offset);
            if (element == null) {
                result.append(layout.charAt(offset++));
            } else {
                String value = DateTimeFormatter.ofPattern(element.pattern, Locale.ENGLISH).format(time);
                result.append(element.layout.equals("pm") ? value.toLowerCase(Locale.ROOT) : value);
                offset += element.layout.length();
            }
        }
        return result.toString();
    }

    private static @Nullable Element elementAt(String layout, int offset) {
        for (Element element : ELEMENTS) {
            if (element.matches(layout, offset)) {
                return element;
            }
        }
        return null;
    }
}
