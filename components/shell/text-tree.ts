export type TextTree = { [key: string]: string | TextTree };

/** The part of `tree` under the given dotted paths. A path that does not exist is an error. */
export function pickTexts(tree: TextTree, paths: readonly string[]): TextTree {
  let picked: TextTree = {};
  for (const path of paths) {
    const keys = path.split(".");
    const found = keys.reduce<TextTree | string | undefined>(
      (part, key) => (typeof part === "object" ? part[key] : undefined),
      tree,
    );
    if (found === undefined) throw new Error(`There are no texts under "${path}".`);
    picked = mergeTexts(
      picked,
      keys.reduceRight<TextTree | string>((part, key) => ({ [key]: part }), found) as TextTree,
    );
  }
  return picked;
}

/** Both trees in one; where both have a text, the second one's. Neither is changed. */
export function mergeTexts(one: TextTree, other: TextTree): TextTree {
  const merged = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const own = merged[key];
    merged[key] = typeof own === "object" && typeof value === "object" ? mergeTexts(own, value) : value;
  }
  return merged;
}
