package io.kcp.bench;

import java.util.Locale;

/** Writes SVG elements; colours and fonts come from the style sheet of the page, by class. */
final class Svg {

    private final StringBuilder out = new StringBuilder();

    /** Begins a picture; {@code label} is for who cannot see it. */
    Svg(int width, int height, String label) {
        out.append("<svg viewBox=\"0 0 ").append(width).append(' ').append(height).append("\" role=\"img\" aria-label=\"")
            .append(escape(label)).append("\">\n");
    }

    Svg openGroup(String cssClass) {
        out.append("<g class=\"").append(cssClass).append("\">\n");
        return this;
    }

    Svg closeGroup() {
        out.append("</g>\n");
        return this;
    }

    Svg line(String cssClass, double x1, double y1, double x2, double y2) {
        return element(String.format(Locale.ROOT, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", cssClass,
            x1, y1, x2, y2));
    }

    Svg rectangle(String cssClass, double x, double y, double width, double height) {
        return element(String.format(Locale.ROOT, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", cssClass,
            x, y, width, height));
    }

    Svg circle(String cssClass, double x, double y, double radius) {
        return element(String.format(Locale.ROOT, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", cssClass, x, y, radius));
    }

    Svg path(String cssClass, CharSequence commands) {
        return element(String.format(Locale.ROOT, "<path class=\"%s\" d=\"%s\"/>", cssClass, commands));
    }

    Svg text(String cssClass, double x, double y, String text) {
        return element(String.format(Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", cssClass, x, y, escape(text)));
    }

    private Svg element(String text) {
        out.append(text).append('\n');
        return this;
    }

    String end() {
        return out.append("</svg>\n").toString();
    }

    /** What stands for a text in XML and in HTML. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
