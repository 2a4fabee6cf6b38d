package io.kcp.examples;

import java.util.Locale;

/** Writes SVG elements. Colours and fonts are set by the CSS classes of the page. */
final class Svg {

    private final StringBuilder out = new StringBuilder();

    /** Starts an image. {@code label} is its accessible description. */
    Svg(int width, int height, String label) {
        out.append("<svg viewBox=\"0 0 ").append(width).append(' ').append(height).append("\" role=\"img\" aria-label=\"")
            .append(escape(label)).append("\">\n");
    }

    Svg openGroup(String cssClass, String dataPreset) {
        out.append("<g class=\"").append(cssClass).append("\" data-preset=\"").append(escape(dataPreset)).append("\">\n");
        return this;
    }

    Svg closeGroup() {
        out.append("</g>\n");
        return this;
    }

    Svg line(String cssClass, double x1, double y1, double x2, double y2) {
        out.append(String.format(Locale.ROOT, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            cssClass, x1, y1, x2, y2));
        return this;
    }

    Svg rectangle(String cssClass, double x, double y, double width, double height) {
        out.append(String.format(Locale.ROOT, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>%n",
            cssClass, x, y, width, height));
        return this;
    }

    Svg circle(String cssClass, double x, double y, double radius) {
        out.append(String.format(Locale.ROOT, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>%n", cssClass, x, y,
            radius));
        return this;
    }

    Svg path(String cssClass, CharSequence commands) {
        out.append("<path class=\"").append(cssClass).append("\" d=\"").append(commands).append("\"/>\n");
        return this;
    }

    Svg text(String cssClass, double x, double y, String text) {
        out.append(String.format(Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n", cssClass, x, y,
            escape(text)));
        return this;
    }

    /** Adds a text that is rotated to read from bottom to top. */
    Svg textUpwards(String cssClass, double x, double y, String text) {
        out.append(String.format(Locale.ROOT, "<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>%n",
            cssClass, x, y, escape(text)));
        return this;
    }

    String end() {
        return out.append("</svg>\n").toString();
    }

    /** Escapes a text for XML and HTML. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
