/** A text as a string, or compiled as an array (lib/i18n/compiled.ts). */
type Text = string | readonly unknown[];
export type TextTree = { [key: string]: Text | TextTree };

const isTree = (part: Text | TextTree | undefined): part is TextTree =>
  typeof part === "object" && !Array.isArray(part);

/** The part of `tree` under the given dotted paths. A path that does not exist is an error. */
export function pickTexts(tree: TextTree, paths: readonly string[]): TextTree {
  let picked: TextTree = {};
  for (const path of paths) {
    const keys = path.split(".");
    const found = keys.reduce<TextTree | Text | undefined>((part, key) => (isTree(part) ? part[key] : undefined), tree);
    if (found === undefined) throw new Error(`There are no texts under "${path}".`);
    picked = mergeTexts(picked, keys.reduceRight<TextTree | Text>((part, key) => ({ [key]: part }), found) as TextTree);
  }
  return picked;
}

/** Both trees in one; where both have a text, the second one's. Neither is changed. */
export function mergeTexts(one: TextTree, other: TextTree): TextTree {
  const merged = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const own = merged[key];
    merged[key] = isTree(own) && isTree(value) ? mergeTexts(own, value) : value;
  }
  return merged;
}
