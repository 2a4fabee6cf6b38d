package io.kcp.spring.actuate;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Masks cipher keys in the Actuator endpoints {@code configprops} and {@code env}, even if these endpoints show other values. */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class KcpSanitizingAutoConfiguration {

    @Bean
    SanitizingFunction kcpSanitizingFunction() {
        return data -> isKey(data.getKey()) ? data.withSanitizedValue() : data;
    }

    /** Returns {@code true} for the names of settings that contain a key, such as {@code kcp.server.crypt.key} and {@code KCP_KEY}. */
    private static boolean isKey(String name) {
        String letters = name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
        return letters.startsWith("kcp") && letters.endsWith("key");
    }
}
