/** A group the user may choose, with its price ratio. */
export type UsableGroup = { name: string; ratio: number; description: string };
