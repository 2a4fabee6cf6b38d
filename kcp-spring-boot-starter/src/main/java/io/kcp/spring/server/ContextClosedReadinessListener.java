package io.kcp.spring.server;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * Sets the readiness state to {@code REFUSING_TRAFFIC} when the application context begins to close, which is before the servers close.
 * Boot does the same for web servers.
 */
final class ContextClosedReadinessListener implements ApplicationListener<ContextClosedEvent>, Ordered {

    private final ApplicationContext context;
    private final @Nullable ApplicationAvailability availability;

    ContextClosedReadinessListener(ApplicationContext context, @Nullable ApplicationAvailability availability) {
        this.context = context;
        this.availability = availability;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent closed) {
        boolean refusing = availability != null && availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC;
        if (closed.getApplicationContext() == context && !refusing) {
            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        }
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
