package io.kcp.examples;
import io.kcp.core.KcpMode;
import java.io.IOException;
import java.nio.file.*;
import java.util.List;
final class DemoReport {
    final List<PresetResult> results;
    DemoReport(DemoFile file, LinkConditions conditions, KcpMode mode, int window, List<PresetResult> results) {
     this.results = results;
    }
    void write(Path report) throws IOException {
       for (PresetResult r : results) { StringBuilder b = new StringBuilder();
         for (int i = 0; i < r.delays().size(); i++) b.append(r.delays().acceptedAtSeconds(i)).append(' ').append(r.delays().delayMs(i)).append('\n');
         Files.writeString(Path.of("/tmp/ex/d-"+r.preset()), b);
         System.out.println(r.sender()+" "+r.receiver());
       }
    }
}
