package io.kcp.examples.arena.world;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The world of one room. Players move, shoot at each other and collect gems; who is hit too often comes back elsewhere. Who says
 * nothing for {@value #SILENT_TICKS} ticks vanishes, and finds its score again if it comes back within {@value #ABSENT_TICKS}.
 * Not thread safe.
 */
public final class World {

    /** Ticks in a second. */
    public static final int TICKS_PER_SECOND = 20;
    /** Most players at once. */
    public static final int MAX_PLAYERS = 48;
    /** Most shots in the air at once. */
    public static final int MAX_SHOTS = 96;
    static final double SECONDS_PER_TICK = 1.0 / TICKS_PER_SECOND;
    static final int SILENT_TICKS = 5 * TICKS_PER_SECOND;
    static final int ABSENT_TICKS = 60 * TICKS_PER_SECOND;
    static final int GEMS = 10;

    private static final int FORMAT = 1;
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

    /** Who is gone and may come back. */
    private record Absent(int score, int goneTick) {
    }

    private final WorldRandom random;
    private final int epoch;
    private int tick;
    private int lastId;
    private final Map<String, Fighter> fighters = new LinkedHashMap<>();
    private final List<Shot> shots = new ArrayList<>();
    private final List<Gem> gems = new ArrayList<>();
    private final Map<String, Absent> absent = new LinkedHashMap<>();

    /**
     * Creates a world without players.
     *
     * @param seed  what its chances come from
     * @param epoch greater than those of all worlds that were shown before, so that this one is newer: from a clock, say; not negative
     */
    public World(long seed, int epoch) {
        this(new WorldRandom(seed), epoch);
        for (int i = 0; i < GEMS; i++) {
            Gem gem = new Gem();
            place(gem);
            gems.add(gem);
        }
    }

    private World(WorldRandom random, int epoch) {
        this.random = random;
        this.epoch = epoch;
    }

    /**
     * Takes what a player wants. One that is not here appears, if there is room.
     *
     * @param user  who
     * @param input what
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
     * Takes a player out for good.
     *
     * @param user who
     */
    public void leave(String user) {
        fighters.remove(user);
        absent.remove(user);
    }

    /** Lets the next {@code 1 / }{@value #TICKS_PER_SECOND} of a second pass. */
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
     * Shows the world.
     *
     * @return how it looks now
     */
    public WorldView view() {
        List<PlayerView> players = new ArrayList<>(fighters.size());
        List<NameView> names = new ArrayList<>(NAMES_PER_VIEW);
        int count = fighters.size();
        int index = 0;
        for (Fighter fighter : fighters.values()) {
            players.add(fighter.view());
            if (Math.floorMod(index++ - (long) tick * NAMES_PER_VIEW, (long) count) < NAMES_PER_VIEW) {
                names.add(new NameView(fighter.id, fighter.user));
            }
        }
        List<PointView> flying = new ArrayList<>(shots.size());
        shots.forEach(shot -> flying.add(new PointView(WorldView.length(shot.x), WorldView.length(shot.y))));
        List<PointView> lying = new ArrayList<>(gems.size());
        gems.stream().filter(Gem::isThere).forEach(gem -> lying.add(new PointView(WorldView.length(gem.x), WorldView.length(gem.y))));
        return new WorldView(epoch, tick, List.copyOf(players), List.copyOf(flying), List.copyOf(lying), List.copyOf(names));
    }

    /**
     * Returns how many players there are.
     *
     * @return players, the ones who wait to come back included
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
        double directionX = Directions.x(fighter.input.aim());
        double directionY = Directions.y(fighter.input.aim());
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

    /** Moves a shot; tells whether it has hit something or flown far enough. */
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

    private double[] freePlace(double radius) {
        for (int i = 0; i < PLACE_ATTEMPTS; i++) {
            double x = random.between(radius, ArenaMap.WIDTH - radius);
            double y = random.between(radius, ArenaMap.HEIGHT - radius);
            if (!ArenaMap.blocks(x, y, radius)) {
                return new double[] {x, y};
            }
        }
        throw new IllegalStateException("no free place (the walls leave none)");
    }

    /**
     * Saves everything.
     *
     * @return bytes for {@link #restore}, without the seed's history but with its chances to come
     */
    public byte[] save() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeInt(epoch);
            out.writeInt(tick);
            out.writeInt(lastId);
            out.writeLong(random.state());
            out.writeShort(fighters.size());
            for (Fighter fighter : fighters.values()) {
                fighter.save(out);
            }
            out.writeShort(shots.size());
            for (Shot shot : shots) {
                shot.save(out);
            }
            out.writeShort(gems.size());
            for (Gem gem : gems) {
                gem.save(out);
            }
            out.writeShort(absent.size());
            for (Map.Entry<String, Absent> gone : absent.entrySet()) {
                out.writeUTF(gone.getKey());
                out.writeInt(gone.getValue().score);
                out.writeInt(gone.getValue().goneTick);
            }
        } catch (IOException cannotBe) {
            throw new UncheckedIOException(cannotBe);
        }
        return bytes.toByteArray();
    }

    /**
     * Goes on with a saved world, in the same epoch.
     *
     * @param saved what {@link #save()} returned
     * @return the world
     * @throws WorldFormatException if it is something else
     */
    public static World restore(byte[] saved) throws WorldFormatException {
        return restore(saved, 0);
    }

    /**
     * Takes over a saved world from a gateway that may have gone further: begins a new epoch.
     *
     * @param saved what {@link #save()} returned
     * @return the world
     * @throws WorldFormatException if it is something else
     */
    public static World takeOver(byte[] saved) throws WorldFormatException {
        return restore(saved, 1);
    }

    private static World restore(byte[] saved, int epochs) throws WorldFormatException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(saved))) {
            int format = in.readUnsignedByte();
            if (format != FORMAT) {
                throw new WorldFormatException("format: " + format + " (expected: " + FORMAT + ')');
            }
            int epoch = in.readInt() + epochs;
            int tick = in.readInt();
            int lastId = in.readInt();
            World world = new World(new WorldRandom(in.readLong()), epoch);
            world.tick = tick;
            world.lastId = lastId;
            world.read(in);
            if (in.read() >= 0) {
                throw new WorldFormatException("something follows the saved world");
            }
            return world;
        } catch (EOFException | UTFDataFormatException | IllegalArgumentException wrong) {
            throw new WorldFormatException(wrong);
        } catch (WorldFormatException wrong) {
            throw wrong;
        } catch (IOException cannotBe) {
            throw new UncheckedIOException(cannotBe);
        }
    }

    private void read(DataInputStream in) throws IOException {
        int fighterCount = count(in, MAX_PLAYERS, "players");
        for (int i = 0; i < fighterCount; i++) {
            Fighter fighter = Fighter.restore(in);
            fighters.put(fighter.user, fighter);
        }
        int shotCount = count(in, MAX_SHOTS, "shots");
        for (int i = 0; i < shotCount; i++) {
            shots.add(Shot.restore(in));
        }
        int gemCount = count(in, GEMS, "gems");
        for (int i = 0; i < gemCount; i++) {
            gems.add(Gem.restore(in));
        }
        int absentCount = count(in, MAX_ABSENT, "absent players");
        for (int i = 0; i < absentCount; i++) {
            absent.put(in.readUTF(), new Absent(in.readInt(), in.readInt()));
        }
    }

    private static int count(DataInputStream in, int most, String what) throws IOException {
        int count = in.readUnsignedShort();
        if (count > most) {
            throw new WorldFormatException(what + ": " + count + " (expected: at most " + most + ')');
        }
        return count;
    }
}
