/** A group that somebody may use, with what it costs. */
export type UsableGroup = { name: string; ratio: number; description: string };
