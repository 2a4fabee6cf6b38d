package io.kcp.bench;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Measured effects of an attack or an overload on one server. */
interface EventResult {

    String server();

    /** Returns the event, as it is named in the list of missed requirements. */
    String eventName();

    /** Returns the reason why the server exited or the run failed, otherwise null. */
    @Nullable String failure();

    /** Returns all requirements that apply to the event. */
    List<Criterion> criteria();

    /** Returns one row of a table, with a line separator. */
    String row();

    /** Returns the requirements that were not reached. A failed run has none. */
    default List<Criterion> missed() {
        return failure() != null ? List.of() : criteria().stream().filter(criterion -> Boolean.FALSE.equals(criterion.reached())).toList();
    }

    /** Prints the table of all results, and the requirements that were not reached. */
    static void print(String head, List<? extends EventResult> results) {
        System.out.print("\n" + head + results.stream().map(EventResult::row).collect(Collectors.joining()));
        results.forEach(result -> result.missed().forEach(missed ->
            System.out.println("NOT REACHED: " + result.server() + ", " + result.eventName() + ": " + missed.text())));
    }
}
