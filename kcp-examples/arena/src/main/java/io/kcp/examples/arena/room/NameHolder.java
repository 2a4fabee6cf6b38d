package io.kcp.examples.arena.room;

/** Whose a name was when somebody asked for it. */
public enum NameHolder {
    /** It was free. */
    NOBODY,
    /** The one who asked had it already. */
    SAME,
    /** Somebody else has it, and keeps it. */
    ANOTHER
}
