/** Differences that still count as the same name, by the length of the shorter one. */
const allowed = (length: number): number => (length < 5 ? 1 : length < 9 ? 2 : 3);

/**
 * The known name that a misspelt one most likely means: by the letters that differ, or by the same words in another order or form
 * ("monthly_budget", "budgetMonth" and "budget_monthly" all mean "budget_month"). Undefined = none is near.
 */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const words = wordsOf(name);
  const sameWords = known.find((candidate) => isSameWords(words, wordsOf(candidate)));
  if (sameWords !== undefined) return sameWords;
  const near = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= allowed(Math.min(name.length, candidate.length)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.candidate;
}

/** The words of a name, however they are joined, in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

/** The same words, each by its stem: "monthly" and "month", "limits" and "limit", "daily" and "day". */
function isSameWords(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  return stems(one) === stems(other);
}

const stems = (words: readonly string[]): string =>
  words
    .map((word) => (word === "daily" ? "day" : word.replace(/(?<=.{3})(ly|ed|s)$/, "")))
    .sort()
    .join("_");

/** Letters to add, drop, replace or swap with their neighbour. Names longer than 64 are never near. */
function distanceOf(one: string, other: string): number {
  if (one.length > 64 || other.length > 64) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
