/**
 * The upstream's name for a model: entries are followed until there is none, a name mapped to itself ends the chain.
 * Null when the entries run in a circle.
 */
export function mapModel(model: string, mapping: ReadonlyMap<string, string>): string | null {
  if (mapping.size === 0) return model;
  const seen = new Set([model]);
  for (let name = model; ; ) {
    const next = mapping.get(name);
    if (next === undefined || next === "" || next === name) return name;
    if (seen.has(next)) return null;
    seen.add(next);
    name = next;
  }
}
