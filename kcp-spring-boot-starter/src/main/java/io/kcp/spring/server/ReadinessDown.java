package io.kcp.spring.server;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/** Says that the application takes no more traffic as soon as it begins to close, before any server does. Web applications do so too. */
final class ReadinessDown implements ApplicationListener<ContextClosedEvent>, Ordered {

    private final ApplicationContext context;
    private final @Nullable ApplicationAvailability availability;

    ReadinessDown(ApplicationContext context, @Nullable ApplicationAvailability availability) {
        this.context = context;
        this.availability = availability;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent closed) {
        boolean down = availability != null && availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC;
        if (closed.getApplicationContext() == context && !down) {
            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        }
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
