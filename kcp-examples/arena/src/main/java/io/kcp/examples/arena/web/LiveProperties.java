package io.kcp.examples.arena.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the page.
 *
 * @param maxViewers how many may look at once; others are told so
 */
@ConfigurationProperties("arena.live")
record LiveProperties(@DefaultValue("100") int maxViewers) {

    LiveProperties {
        if (maxViewers < 0) {
            throw new IllegalArgumentException("arena.live.max-viewers: " + maxViewers + " (expected: at least 0)");
        }
    }
}
