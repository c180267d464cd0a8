/**
 * The upstream's name of a model. Follows the mapping until a name has no entry or maps to itself. Null when the
 * mapping is circular.
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
