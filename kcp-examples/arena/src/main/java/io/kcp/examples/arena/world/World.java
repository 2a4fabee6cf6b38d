package io.kcp.examples.arena.world;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Game world of one room, in which fighters move, shoot at each other and collect gems. A defeated fighter reappears elsewhere. A fighter
 * without an input for {@value #SILENT_TICKS} ticks disappears. Its player regains the score by returning within {@value #ABSENT_TICKS}
 * ticks. Not thread safe.
 */
public final class World {

    /** Ticks in a second. */
    public static final int TICKS_PER_SECOND = 20;
    /** Maximum number of fighters. */
    public static final int MAX_PLAYERS = 48;
    /** Maximum number of shots in flight. */
    public static final int MAX_SHOTS = 96;
    static final double SECONDS_PER_TICK = 1.0 / TICKS_PER_SECOND;
    static final int SILENT_TICKS = 5 * TICKS_PER_SECOND;
    static final int ABSENT_TICKS = 60 * TICKS_PER_SECOND;
    static final int GEMS = 10;

    private static final JsonMapper JSON = JsonMapper.builder().changeDefaultVisibility(methods -> methods
        .withFieldVisibility(JsonAutoDetect.Visibility.ANY).withGetterVisibility(JsonAutoDetect.Visibility.NONE)
        .withIsGetterVisibility(JsonAutoDetect.Visibility.NONE)).build();

    private static final int SHOT_PAUSE_TICKS = 8;
    private static final int SHOT_TICKS = 20;
    private static final int SHOT_DAMAGE = 20;
    private static final int DEFEAT_SCORE = 5;
    private static final int RETURN_TICKS = 2 * TICKS_PER_SECOND;
    private static final int GEM_RETURN_TICKS = 3 * TICKS_PER_SECOND;
    private static final int GEM_HEALTH = 20;
    private static final int NAMES_PER_VIEW = 4;
    private static final int MAX_ABSENT = 1_000;
    private static final int MAX_ID = 0xFFFF;
    private static final int PLACE_ATTEMPTS = 200;

    /** Score of a player whose fighter has disappeared. The player regains it by returning in time. */
    private record Absent(int score, int goneTick) {
    }

    /** Complete state of a world, as saved in JSON. */
    private record Saved(int epoch, int tick, int lastId, long random, List<Fighter> fighters, List<Shot> shots, List<Gem> gems,
                         Map<String, Absent> absent) {
    }

    private final int epoch;
    /**
     * State of the random number generator. It is saved with the world, so that a restored world continues with the same random numbers.
     */
    private long random;
    private int tick;
    private int lastId;
    private final Map<String, Fighter> fighters = new LinkedHashMap<>();
    private final List<Shot> shots = new ArrayList<>();
    private final List<Gem> gems = new ArrayList<>();
    private final Map<String, Absent> absent = new LinkedHashMap<>();

    /**
     * Creates a world without players.
     *
     * @param seed  seed of its random numbers
     * @param epoch a number that is at least 0 and greater than the epochs of all earlier worlds in this room, for example the current time
     */
    public World(long seed, int epoch) {
        this(epoch, seed);
        for (int i = 0; i < GEMS; i++) {
            Gem gem = new Gem();
            place(gem);
            gems.add(gem);
        }
    }

    private World(int epoch, long random) {
        this.random = random;
        this.epoch = epoch;
    }

    /**
     * Applies an input. A player without a fighter gets one if there is room.
     *
     * @param user  the player
     * @param input its input, which is ignored unless it is newer than the previous input
     */
    public void apply(String user, PlayerInput input) {
        Fighter fighter = fighters.get(user);
        if (fighter == null) {
            fighter = appear(user);
            if (fighter == null) {
                return;
            }
        }
        fighter.silentTicks = 0;
        if (input.sequence() - fighter.input.sequence() > 0) {
            fighter.input = input;
        }
    }

    /**
     * Removes a player and its score permanently.
     *
     * @param user the player
     */
    public void leave(String user) {
        fighters.remove(user);
        absent.remove(user);
    }

    /** Simulates the next 50 ms. */
    public void tick() {
        tick++;
        dropSilent();
        for (Fighter fighter : fighters.values()) {
            if (fighter.isAlive()) {
                fighter.move();
                shoot(fighter);
                collect(fighter);
            } else if (--fighter.ticksToReturn <= 0) {
                place(fighter);
            }
        }
        shots.removeIf(this::isSpent);
        for (Gem gem : gems) {
            if (!gem.isThere() && --gem.ticksToReturn == 0) {
                place(gem);
            }
        }
    }

    /**
     * Returns a view of the current state.
     *
     * @return its current state
     */
    public WorldView view() {
        List<WorldView.Player> players = new ArrayList<>(fighters.size());
        List<WorldView.Name> names = new ArrayList<>(NAMES_PER_VIEW);
        int count = fighters.size();
        int index = 0;
        for (Fighter fighter : fighters.values()) {
            players.add(fighter.view());
            if (Math.floorMod(index++ - (long) tick * NAMES_PER_VIEW, (long) count) < NAMES_PER_VIEW) {
                names.add(new WorldView.Name(fighter.id, fighter.user));
            }
        }
        List<WorldView.Point> flying = new ArrayList<>(shots.size());
        shots.forEach(shot -> flying.add(new WorldView.Point(WorldView.length(shot.x), WorldView.length(shot.y))));
        List<WorldView.Point> lying = new ArrayList<>(gems.size());
        gems.stream().filter(Gem::isThere).forEach(gem -> lying.add(new WorldView.Point(WorldView.length(gem.x), WorldView.length(gem.y))));
        return new WorldView(epoch, tick, List.copyOf(players), List.copyOf(flying), List.copyOf(lying), List.copyOf(names));
    }

    /**
     * Returns the number of fighters.
     *
     * @return fighters, including defeated ones
     */
    public int players() {
        return fighters.size();
    }

    private @Nullable Fighter appear(String user) {
        if (fighters.size() >= MAX_PLAYERS) {
            return null;
        }
        Fighter fighter = new Fighter(freeId(), user);
        Absent before = absent.remove(user);
        if (before != null) {
            fighter.score = before.score;
        }
        place(fighter);
        fighters.put(user, fighter);
        return fighter;
    }

    private int freeId() {
        do {
            lastId = lastId % MAX_ID + 1;
        } while (fighters.values().stream().anyMatch(fighter -> fighter.id == lastId));
        return lastId;
    }

    private void dropSilent() {
        fighters.values().removeIf(fighter -> {
            if (++fighter.silentTicks <= SILENT_TICKS) {
                return false;
            }
            absent.put(fighter.user, new Absent(fighter.score, tick));
            return true;
        });
        absent.values().removeIf(gone -> tick - gone.goneTick > ABSENT_TICKS);
        while (absent.size() > MAX_ABSENT) {
            absent.remove(absent.keySet().iterator().next());
        }
    }

    private void shoot(Fighter fighter) {
        if (fighter.ticksToShot > 0) {
            fighter.ticksToShot--;
        }
        if (!fighter.input.firing() || fighter.ticksToShot > 0 || shots.size() >= MAX_SHOTS) {
            return;
        }
        fighter.ticksToShot = SHOT_PAUSE_TICKS;
        // Uses StrictMath, because the results of Math may differ between machines.
        double angle = fighter.input.aim() * 2 * Math.PI / PlayerInput.DIRECTIONS;
        double directionX = StrictMath.cos(angle);
        double directionY = StrictMath.sin(angle);
        shots.add(new Shot(fighter.id, fighter.x + directionX * Fighter.RADIUS, fighter.y + directionY * Fighter.RADIUS,
            directionX * Shot.SPEED, directionY * Shot.SPEED, SHOT_TICKS));
    }

    private void collect(Fighter fighter) {
        for (Gem gem : gems) {
            if (gem.isThere() && fighter.isWithin(Fighter.RADIUS + Gem.RADIUS, gem.x, gem.y)) {
                gem.ticksToReturn = GEM_RETURN_TICKS;
                fighter.addScore(1);
                fighter.health = Math.min(Fighter.FULL_HEALTH, fighter.health + GEM_HEALTH);
            }
        }
    }

    /** Moves a shot. Returns {@code true} if it has hit something or reached its range. */
    private boolean isSpent(Shot shot) {
        for (int i = 0; i < Shot.STEPS; i++) {
            shot.step();
            if (ArenaMap.blocks(shot.x, shot.y, Shot.RADIUS)) {
                return true;
            }
            for (Fighter target : fighters.values()) {
                if (target.id != shot.shooter && target.isAlive() && target.isWithin(Fighter.RADIUS + Shot.RADIUS, shot.x, shot.y)) {
                    hit(target, shot);
                    return true;
                }
            }
        }
        return --shot.ticksLeft <= 0;
    }

    private void hit(Fighter target, Shot shot) {
        target.health = Math.max(0, target.health - SHOT_DAMAGE);
        if (target.isAlive()) {
            return;
        }
        target.ticksToReturn = RETURN_TICKS;
        for (Fighter fighter : fighters.values()) {
            if (fighter.id == shot.shooter) {
                fighter.addScore(DEFEAT_SCORE);
            }
        }
    }

    private void place(Fighter fighter) {
        double[] place = freePlace(Fighter.RADIUS);
        fighter.appear(place[0], place[1]);
    }

    private void place(Gem gem) {
        double[] place = freePlace(2 * Gem.RADIUS);
        gem.x = place[0];
        gem.y = place[1];
    }

    private double random(double from, double to) {
        SplittableRandom generator = new SplittableRandom(random);
        random = generator.nextLong();
        return generator.nextDouble(from, to);
    }

    private double[] freePlace(double radius) {
        for (int i = 0; i < PLACE_ATTEMPTS; i++) {
            double x = random(radius, ArenaMap.WIDTH - radius);
            double y = random(radius, ArenaMap.HEIGHT - radius);
            if (!ArenaMap.blocks(x, y, radius)) {
                return new double[] {x, y};
            }
        }
        throw new IllegalStateException("no free place on the map");
    }

    /**
     * Saves the world.
     *
     * @return JSON for {@link #restore}
     */
    public byte[] save() {
        return JSON.writeValueAsBytes(new Saved(epoch, tick, lastId, random, List.copyOf(fighters.values()), shots, gems, absent));
    }

    /**
     * Restores a saved world without changing its epoch.
     *
     * @param saved the result of {@link #save()}
     * @return the world
     * @throws tools.jackson.core.JacksonException if the argument is not a saved world
     */
    public static World restore(byte[] saved) {
        return restore(saved, 0);
    }

    /**
     * Restores a world that another gateway has saved, and begins a new epoch. The other gateway may have continued the simulation after
     * it saved the world. Because of the new epoch, every view of the restored world is newer than all views of the other gateway.
     *
     * @param saved the result of {@link #save()}
     * @return the world
     * @throws tools.jackson.core.JacksonException if the argument is not a saved world
     */
    public static World takeOver(byte[] saved) {
        return restore(saved, 1);
    }

    private static World restore(byte[] bytes, int epochs) {
        Saved saved = JSON.readValue(bytes, Saved.class);
        World world = new World(saved.epoch + epochs, saved.random);
        world.tick = saved.tick;
        world.lastId = saved.lastId;
        saved.fighters.forEach(fighter -> world.fighters.put(fighter.user, fighter));
        world.shots.addAll(saved.shots);
        world.gems.addAll(saved.gems);
        world.absent.putAll(saved.absent);
        return world;
    }

    /** A shot, which flies straight until it hits something or reaches its maximum range. */
    static final class Shot {

        static final double RADIUS = 4;
        static final double SPEED = 640;
        static final int STEPS = 3;
        private static final double STEP_SECONDS = World.SECONDS_PER_TICK / STEPS;

        final int shooter;
        final double velocityX;
        final double velocityY;
        double x;
        double y;
        int ticksLeft;

        @JsonCreator
        Shot(@JsonProperty("shooter") int shooter, @JsonProperty("x") double x, @JsonProperty("y") double y,
             @JsonProperty("velocityX") double velocityX, @JsonProperty("velocityY") double velocityY,
             @JsonProperty("ticksLeft") int ticksLeft) {
            this.shooter = shooter;
            this.x = x;
            this.y = y;
            this.velocityX = velocityX;
            this.velocityY = velocityY;
            this.ticksLeft = ticksLeft;
        }

        /** Advances the shot by a fraction of a tick, so that the shot cannot pass through a fighter between two checks. */
        void step() {
            x += velocityX * STEP_SECONDS;
            y += velocityY * STEP_SECONDS;
        }
    }

    /** A gem, which gives a point and health to the fighter that collects it. The gem reappears elsewhere after a while. */
    static final class Gem {

        static final double RADIUS = 10;

        double x;
        double y;
        int ticksToReturn;

        boolean isThere() {
            return ticksToReturn == 0;
        }
    }
}
