package io.kcp.spring.server;

import io.kcp.spring.properties.TlsInitializer;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the initializers of sessions for reflection, which Netty uses to determine the event methods that it can skip. */
final class ServerRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection().registerType(SessionRegistration.RegisteringInitializer.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection().registerType(TlsInitializer.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
