package io.kcp.spring.server;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image must be told of this starter that Spring does not find by itself. */
final class KcpRuntimeHints implements RuntimeHintsRegistrar {

    /** Netty asks each of them by name which of its methods may be skipped. */
    private static final List<String> CHANNEL_HANDLERS = List.of("io.kcp.spring.server.SessionRegistration$1",
        "io.kcp.spring.handler.ControllerHandler", "io.kcp.spring.handler.ControllerHandlerProvider$ControllerInitializer",
        "io.kcp.spring.handler.SessionDrain");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        CHANNEL_HANDLERS.forEach(handler ->
            hints.reflection().registerType(TypeReference.of(handler), MemberCategory.INVOKE_PUBLIC_METHODS));
    }
}
