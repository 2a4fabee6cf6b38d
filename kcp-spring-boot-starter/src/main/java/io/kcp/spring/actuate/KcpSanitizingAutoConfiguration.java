package io.kcp.spring.actuate;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Keeps keys of ciphers out of Actuator's {@code configprops} and {@code env}, also where those show values. */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class KcpSanitizingAutoConfiguration {

    @Bean
    SanitizingFunction kcpSanitizingFunction() {
        return data -> isKey(data.getKey()) ? data.withSanitizedValue() : data;
    }

    /** {@code kcp.server.crypt.key} as it may be written, an environment variable too, and {@code KCP_KEY}. */
    private static boolean isKey(String name) {
        String letters = name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
        return letters.startsWith("kcp") && letters.endsWith("key");
    }
}
