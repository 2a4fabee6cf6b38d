package io.kcp.netty.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The index finds a session only if the conversation id determines it. */
class ConversationIndexTest {

    private static final int CONV = 5;

    private final ConversationIndex<TestSession> index = new ConversationIndex<>();
    private final TestSession one = new TestSession(CONV);
    private final TestSession two = new TestSession(CONV);

    @Test
    void ambiguousSessionsAreNotFound() {
        index.add(one);
        assertThat(index.find(CONV)).isSameAs(one);
        assertThat(index.find(CONV + 1)).isNull();
        index.add(two);
        assertThat(index.find(CONV)).isNull();
        index.onValidated(one);
        assertThat(index.find(CONV)).isSameAs(one);
        index.onValidated(two);
        assertThat(index.find(CONV)).isNull();
        index.remove(one);
        index.remove(one);
        assertThat(index.find(CONV)).isSameAs(two);
        index.remove(two);
        assertThat(index.find(CONV)).isNull();
        assertThat(index.size()).isZero();
    }
}
