package io.kcp.spring.handler;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the channel handlers of this package for reflection, which Netty uses to determine the event methods that it can skip. */
final class ControllerRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        List.of(ControllerHandler.class, ControllerHandlerProvider.ControllerInitializer.class, SessionDrain.class, StreamsHandler.class,
            StreamsHandler.StreamInitializer.class)
            .forEach(handler -> hints.reflection().registerType(handler, MemberCategory.INVOKE_PUBLIC_METHODS));
    }
}
