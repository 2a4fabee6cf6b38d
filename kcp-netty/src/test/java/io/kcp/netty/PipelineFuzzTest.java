package io.kcp.netty;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.kcp.test.AllocationMeter;
import org.junit.jupiter.api.Tag;

/**
 * Checks that an attacker with the key, whose datagrams are arbitrarily modified before they are encrypted, neither disturbs another
 * session nor makes the server leak memory, store many bytes or allocate many bytes. A normal build replays the stored inputs, and a build
 * with {@code JAZZER_FUZZ=1} searches for new inputs.
 */
@Tag("jdk")
class PipelineFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void modifiedAndReencryptedDatagramsHarmNoOtherSession(byte[] input) {
        SilencedLog.during(() -> AllocationMeter.checkInput(meter -> new PipelineOperations(input, meter).run()));
    }
}
