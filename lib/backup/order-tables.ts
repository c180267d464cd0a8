type Reference = { name: string; target: string };

/** Sorts tables so that each comes after those that it references. Throws when they reference each other in a circle. */
export function inOrderOfReferences<T extends { name: string }>(
  tables: readonly T[],
  references: readonly Reference[],
): T[] {
  const waiting = new Map(tables.map((table) => [table.name, table]));
  const sorted: T[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      ({ name }) => !references.some((reference) => reference.name === name && waiting.has(reference.target)),
    );
    if (free.length === 0) throw new Error(`tables reference each other: ${[...waiting.keys()].join(", ")}`);
    for (const table of free) waiting.delete(table.name);
    sorted.push(...free);
  }
  return sorted;
}
