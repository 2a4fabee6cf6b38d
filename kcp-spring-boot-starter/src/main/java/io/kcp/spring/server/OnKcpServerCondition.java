package io.kcp.spring.server;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/** Condition that matches if {@code kcp.server.port} or any property under {@code kcp.servers} is set. */
final class OnKcpServerCondition extends SpringBootCondition {

    private static final String PORT = "kcp.server.port";
    private static final String NAMED = "kcp.servers";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("KCP server");
        // Treats an empty port as not set, because a placeholder such as ${PORT:} may resolve to an empty value.
        if (StringUtils.hasText(context.getEnvironment().getProperty(PORT))) {
            return ConditionOutcome.match(message.foundExactly(PORT));
        }
        if (hasAny(context.getEnvironment(), NAMED)) {
            return ConditionOutcome.match(message.foundExactly(NAMED));
        }
        return ConditionOutcome.noMatch(message.didNotFind("property").items(PORT, NAMED + ".*.port"));
    }

    /** Returns {@code true} if any property whose name starts with a prefix is set. */
    static boolean hasAny(Environment environment, String prefix) {
        return !Binder.get(environment).bind(prefix, Bindable.mapOf(String.class, Object.class)).orElse(Map.of()).isEmpty();
    }
}
