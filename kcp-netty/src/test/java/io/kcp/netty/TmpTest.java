package io.kcp.netty;
import org.junit.jupiter.api.Test;
class TmpTest {
    @Test void t() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel s = link.establish(7).session();
            link.client().loseAll();
            s.writeAndFlush(link.text("unanswered"));
            boolean b = link.advanceUntil(() -> !s.isOpen(), 100_000);
            System.out.println(b + " " + link.nowMs() + " " + s.closeCause() + " " + link.client().sent().segments().size());
        }
    }
}
