package io.kcp.test;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that are skipped in all ways of JUnit. {@link SkipRuleTest} runs them in a child process. */
class PlantedSkips {

    @Test
    void assumptionFails() {
        assumeTrue(false, "the planted tool is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"present", "missing"})
    void assumptionOfOneCaseFails(String tool) {
        assumeTrue(tool.equals("present"), tool);
    }

    @Test
    @EnabledIfSystemProperty(named = "no.such.property", matches = "x", disabledReason = "planted method")
    void isDisabled() {
    }

    @Nested
    @EnabledIfSystemProperty(named = "no.such.property", matches = "x", disabledReason = "planted class")
    class DisabledClass {

        @Test
        void neverRuns() {
        }
    }
}
