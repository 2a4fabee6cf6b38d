package io.kcp.examples.arena.web;

import io.kcp.core.fec.FecConfig;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotLink;
import io.kcp.examples.arena.bots.BotReport;
import io.kcp.spring.KcpServers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Changes the simulated link of the bots, and returns the delays that the bots measure with and without FEC. Only the demo uses this
 * controller.
 */
@RestController
@ConditionalOnBooleanProperty("arena.demo")
public final class DemoController {

    private static final double MAX_LOSS_PERCENT = 50;
    private static final int MAX_DELAY_MS = 500;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Delays that the bots measured within 10 seconds, either with or without FEC.
     *
     * @param rtt  from ping to pong
     * @param gaps between new snapshots, ideally 50 ms
     */
    record Measured(BotReport.Times rtt, BotReport.Times gaps) {
    }

    /**
     * State of the simulated link, and delays that the bots measured over it.
     *
     * @param bots        number of bots
     * @param lossPercent datagram loss in each direction
     * @param delayMs     delay in each direction
     * @param fec         whether FEC is on
     * @param withFec     delays with FEC at the current loss and delay, or null if not measured yet
     * @param withoutFec  delays without FEC at the current loss and delay, or null if not measured yet
     */
    record Link(int bots, double lossPercent, long delayMs, boolean fec, @Nullable Measured withFec, @Nullable Measured withoutFec) {
    }

    /** Scheduler that changes the link on a single thread, so that changes never overlap. Each change waits for the bots. */
    private final Scheduler scheduler = Schedulers.newSingle("arena-demo", true);
    private final KcpServers servers;
    private @Nullable BotFleet fleet;
    private @Nullable FecConfig fec;
    private String plainServer = "";
    private long windowNanos = System.nanoTime();
    private boolean firstWindow = true;
    private @Nullable Measured withFec;
    private @Nullable Measured withoutFec;

    DemoController(KcpServers servers) {
        this.servers = servers;
    }

    /**
     * Returns the local address of a KCP server.
     *
     * @param name name of the server
     * @return the address with the actual port
     */
    public InetSocketAddress server(String name) {
        return Objects.requireNonNull(servers.find(name)).localAddress();
    }

    /**
     * Starts controlling a fleet of bots.
     *
     * @param bots   the bots, on a link with FEC to the server {@code server}
     * @param plain  the name of the server without FEC
     */
    public void start(BotFleet bots, String plain) {
        scheduler.schedule(() -> {
            fleet = bots;
            fec = bots.link().fec();
            plainServer = plain;
        });
    }

    @GetMapping("/demo")
    Mono<Link> link() {
        return Mono.fromCallable(this::measure).subscribeOn(scheduler);
    }

    @PostMapping("/demo")
    Mono<Link> change(@RequestParam("loss") double lossPercent, @RequestParam("delay") int delayMs, @RequestParam("fec") boolean on) {
        if (!(lossPercent >= 0 && lossPercent <= MAX_LOSS_PERCENT) || delayMs < 0 || delayMs > MAX_DELAY_MS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "loss must be 0 to 50 percent, and delay must be 0 to 500 ms");
        }
        return Mono.fromCallable(() -> {
            BotLink before = present().link();
            if (before.lossPercent() != lossPercent || before.delay().toMillis() != delayMs) {
                withFec = null;
                withoutFec = null;
            }
            present().setLink(new BotLink(List.of(server(on ? "server" : plainServer)), lossPercent, Duration.ofMillis(delayMs),
                on ? fec : null));
            windowNanos = System.nanoTime();
            firstWindow = true;
            return measure();
        }).subscribeOn(scheduler);
    }

    private BotFleet present() {
        BotFleet bots = fleet;
        if (bots == null) {
            throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "the bots have not started yet");
        }
        return bots;
    }

    private Link measure() {
        BotFleet bots = present();
        BotLink link = bots.link();
        boolean windowEnds = System.nanoTime() - windowNanos >= WINDOW_NANOS;
        if (firstWindow || windowEnds) {
            Measured measured = new Measured(bots.roundTrips(), bots.snapshotGaps());
            if (link.fec() != null) {
                withFec = measured;
            } else {
                withoutFec = measured;
            }
        }
        if (windowEnds) {
            bots.resetTimes();
            windowNanos = System.nanoTime();
            firstWindow = false;
        }
        return new Link(bots.bots(), link.lossPercent(), link.delay().toMillis(), link.fec() != null, withFec, withoutFec);
    }
}
