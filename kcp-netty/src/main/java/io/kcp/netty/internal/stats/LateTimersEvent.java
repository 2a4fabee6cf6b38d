package io.kcp.netty.internal.stats;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A Java Flight Recorder event that reports late timers of an event loop. */
@Name("io.kcp.LateTimers")
@Label("KCP Timers Late")
@Description("The timers of KCP sessions ran at least 20 ms late, because their event loop was busy or blocked")
@Category("KCP")
@StackTrace(false)
final class LateTimersEvent extends Event {

    @Label("Delay")
    @Timespan(Timespan.MILLISECONDS)
    final long delay;
    @Label("Waiting Sessions")
    @Description("Number of sessions of the event loop that have a timer")
    final int waitingSessions;

    /** Creates an event that serves only to check whether recording is enabled. */
    LateTimersEvent() {
        delay = 0;
        waitingSessions = 0;
    }

    LateTimersEvent(long delayMs, int waitingSessions) {
        delay = delayMs;
        this.waitingSessions = waitingSessions;
    }
}
