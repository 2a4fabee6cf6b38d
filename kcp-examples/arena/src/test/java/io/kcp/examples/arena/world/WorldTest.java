package io.kcp.examples.arena.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

@Timeout(60)
class WorldTest {

    private static final int UNITS = WorldView.UNITS_PER_LENGTH;

    private World world = new World(7, 0);
    private int sequence;

    @Test
    void playerMovesInAllDirectionsAndStopsAtBorder() {
        world.apply("ann", input(0, 0, 0, false));
        WorldView.Player before = player("ann");
        run("ann", 3, input(127, 0, 0, false));
        assertThat(player("ann").x()).isGreaterThan(before.x());
        assertThat(player("ann").y()).isEqualTo(before.y());
        run("ann", 400, input(-127, -127, 0, false));
        assertThat(player("ann").x()).isGreaterThanOrEqualTo(16 * UNITS);
        assertThat(player("ann").y()).isGreaterThanOrEqualTo(16 * UNITS);
    }

    @Test
    void topSpeedIsAbout250UnitsPerSecond() {
        world.apply("ann", input(0, 0, 0, false));
        int fastest = 0;
        for (int i = 0; i < 60; i++) {
            int before = player("ann").x();
            run("ann", 1, input(i % 40 < 20 ? 127 : -127, 0, 0, false));
            fastest = Math.max(fastest, Math.abs(player("ann").x() - before));
        }
        assertThat(fastest * World.TICKS_PER_SECOND / UNITS).isBetween(230, 260);
    }

    /**
     * For random inputs of many players, all fighters stay within the map and the health limits, and a restored world continues like the
     * original.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3})
    void rulesHoldForRandomInputsAndRestoredWorldIsEqual(long given) {
        long seed = given == 0 ? ThreadLocalRandom.current().nextLong() : given;
        Random random = new Random(seed);
        World original = new World(seed, 0);
        World restored = original;
        int highest = 0;
        for (int tick = 1; tick <= 3_000; tick++) {
            for (int i = 0; i < 12; i++) {
                if (random.nextInt(4) == 0) {
                    PlayerInput input = new PlayerInput(tick, random.nextInt(255) - 127, random.nextInt(255) - 127, random.nextInt(256),
                        random.nextInt(3) > 0);
                    original.apply("player" + i, input);
                    restored.apply("player" + i, input);
                }
            }
            if (random.nextInt(200) == 0) {
                String gone = "player" + random.nextInt(12);
                original.leave(gone);
                restored.leave(gone);
            }
            original.tick();
            restored.tick();
            WorldView view = original.view();
            assertThat(restored.view()).as("seed %d, tick %d", seed, tick).isEqualTo(view);
            for (WorldView.Player player : view.players()) {
                assertThat(player.health()).isBetween(0, 100);
                assertThat(ArenaMap.blocks(player.x() / (double) UNITS, player.y() / (double) UNITS, Fighter.RADIUS - 0.1))
                    .as("seed %d, tick %d: %s", seed, tick, player).isFalse();
                highest = Math.max(highest, player.score());
            }
            if (tick % 100 == 0) {
                restored = World.restore(original.save());
                assertThat(restored.save()).as("seed %d", seed).isEqualTo(original.save());
            }
        }
        assertThat(highest).as("seed %d: somebody scores", seed).isGreaterThan(5);
    }

    @Test
    void seedDeterminesWorld() {
        assertThat(new World(5, 0).save()).isEqualTo(new World(5, 0).save()).isNotEqualTo(new World(6, 0).save());
    }

    @Test
    void fiveHitsDefeatFighterWhichReappears() {
        int aim = duel();
        int hits = 0;
        int health = 100;
        while (player("bob").health() > 0) {
            run("ann", 1, input(0, 0, aim, true));
            if (player("bob").health() < health) {
                hits++;
                health = player("bob").health();
            }
            assertThat(sequence).as("ann never hits bob").isLessThan(2_000);
        }
        assertThat(hits).isEqualTo(5);
        assertThat(player("ann").score()).isEqualTo(5);
        world.apply("bob", input(0, 0, 0, false));
        run("ann", 2 * World.TICKS_PER_SECOND, input(0, 0, 0, false));
        assertThat(player("bob").health()).isEqualTo(100);
    }

    /**
     * Searches for a world in which both fighters appear near each other without a wall between them. Returns the direction in which ann
     * has to aim.
     */
    private int duel() {
        for (long seed = 1; seed < 10_000; seed++) {
            world = new World(seed, 0);
            world.apply("ann", input(0, 0, 0, false));
            world.apply("bob", input(0, 0, 0, false));
            double x = player("ann").x() / (double) UNITS;
            double y = player("ann").y() / (double) UNITS;
            double dx = player("bob").x() / (double) UNITS - x;
            double dy = player("bob").y() / (double) UNITS - y;
            boolean free = IntStream.range(0, 100).noneMatch(i -> ArenaMap.blocks(x + dx * i / 100, y + dy * i / 100, 12));
            if (free && dx * dx + dy * dy < 300 * 300) {
                return (int) Math.round(Math.atan2(dy, dx) / (2 * Math.PI) * PlayerInput.DIRECTIONS) & PlayerInput.DIRECTIONS - 1;
            }
        }
        throw new AssertionError("they never meet");
    }

    @Test
    void fighterCollectsGemOnContact() {
        world.apply("ann", input(0, 0, 0, false));
        int score = 0;
        for (int i = 0; i < 4_000 && score == 0; i++) {
            WorldView.Player ann = player("ann");
            List<WorldView.Point> gems = world.view().gems();
            WorldView.Point gem = gems.get(i / 200 % gems.size());
            run("ann", 1, input(toward(ann.x(), gem.x()), toward(ann.y(), gem.y()), 0, false));
            score = player("ann").score();
        }
        assertThat(score).isEqualTo(1);
        assertThat(world.view().gems()).hasSize(World.GEMS - 1);
        run("ann", 3 * World.TICKS_PER_SECOND, input(0, 0, 0, false));
        assertThat(world.view().gems().size() + player("ann").score()).isGreaterThanOrEqualTo(World.GEMS);
    }

    private static int toward(int from, int to) {
        return Math.max(-127, Math.min(127, to - from));
    }

    @Test
    void idleFighterDisappearsAndRegainsScoreOnReturn() {
        int aim = duel();
        run("ann", 60, input(0, 0, aim, true));
        assertThat(player("ann").score()).isEqualTo(5);
        for (int i = 0; i <= World.SILENT_TICKS; i++) {
            world.tick();
        }
        assertThat(world.players()).isZero();
        World later = World.restore(world.save());
        later.apply("ann", input(0, 0, 0, false));
        assertThat(later.view().players()).singleElement().extracting(WorldView.Player::score).isEqualTo(5);
        for (int i = 0; i <= World.ABSENT_TICKS; i++) {
            world.tick();
        }
        world.apply("ann", input(0, 0, 0, false));
        assertThat(player("ann").score()).isZero();
        world.leave("ann");
        assertThat(world.players()).isZero();
    }

    @Test
    void outdatedInputIsIgnored() {
        world.apply("ann", new PlayerInput(10, 0, 0, 77, false));
        world.apply("ann", new PlayerInput(9, 0, 0, 12, false));
        assertThat(player("ann").aim()).isEqualTo(77);
        world.apply("ann", new PlayerInput(Integer.MAX_VALUE, 0, 0, 1, false));
        world.apply("ann", new PlayerInput(Integer.MIN_VALUE, 0, 0, 2, false));
        assertThat(player("ann").aim()).isEqualTo(2);
    }

    @Test
    void fullWorldAdmitsNobodyAndViewsRotateNames() {
        for (int i = 0; i < World.MAX_PLAYERS + 5; i++) {
            world.apply("player" + i, input(0, 0, 0, false));
        }
        assertThat(world.players()).isEqualTo(World.MAX_PLAYERS);
        Set<String> names = new HashSet<>();
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < World.MAX_PLAYERS / 4; i++) {
            world.tick();
            world.view().names().forEach(name -> names.add(name.user()));
            world.view().players().forEach(player -> ids.add(player.id()));
        }
        assertThat(names).hasSize(World.MAX_PLAYERS);
        assertThat(ids).hasSize(World.MAX_PLAYERS);
    }

    @Test
    void takenOverWorldIsNewerThanAllEarlierViews() {
        world.tick();
        byte[] saved = world.save();
        world.tick();
        WorldView before = world.view();
        World next = World.takeOver(saved);
        assertThat(next.view().isAfter(before)).isTrue();
        assertThat(before.isAfter(next.view())).isFalse();
        assertThat(World.restore(saved).view().isAfter(before)).isFalse();
    }

    @Test
    void laterEpochIsNewerDespiteSmallerTick() {
        world.tick();
        World anew = new World(7, 1);
        assertThat(anew.view().isAfter(world.view())).isTrue();
        assertThat(anew.view().epoch()).isEqualTo(1);
    }

    @Test
    void truncatedWorldIsRefused() {
        run("ann", 20, input(1, 1, 1, true));
        byte[] saved = world.save();
        for (int length = 0; length < saved.length; length += 7) {
            byte[] cut = Arrays.copyOf(saved, length);
            assertThatThrownBy(() -> World.restore(cut)).isInstanceOf(JacksonException.class);
        }
    }

    private PlayerInput input(int moveX, int moveY, int aim, boolean firing) {
        return new PlayerInput(++sequence, moveX, moveY, aim, firing);
    }

    private void run(String user, int ticks, PlayerInput input) {
        world.apply(user, input);
        for (int i = 0; i < ticks; i++) {
            world.apply(user, new PlayerInput(input.sequence(), input.moveX(), input.moveY(), input.aim(), input.firing()));
            world.tick();
        }
    }

    /** Works with up to four players, whose names are in every view. */
    private WorldView.Player player(String user) {
        WorldView view = world.view();
        int id = view.names().stream().filter(name -> name.user().equals(user)).findFirst().orElseThrow().id();
        return view.players().stream().filter(player -> player.id() == id).findFirst().orElseThrow();
    }
}
