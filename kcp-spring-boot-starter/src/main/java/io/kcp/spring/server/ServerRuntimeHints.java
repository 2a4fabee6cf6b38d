package io.kcp.spring.server;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the channel handler of this package for reflection, which Netty uses to determine the event methods that it can skip. */
final class ServerRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection().registerType(SessionRegistration.RegisteringInitializer.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
