/** Whether a text contains one of the words. */
export type WordFinder = (text: string) => boolean;

/** An automaton of Aho and Corasick over UTF-16 code units. Nodes are numbers, 0 is the root. */
class Automaton {
  /** Target of node and code unit. One map for all nodes: most have one target only. */
  private readonly targets = new Map<number, number>();
  /** The root's targets, looked up for nearly every character. */
  private readonly first = new Int32Array(65_536);
  /** The node of the longest proper end that is also a beginning. */
  private readonly shorter: number[] = [0];
  /** The length of the longest word that ends at this node, or at an end of it; 0 = none does. */
  private readonly lengths: number[] = [0];

  constructor(words: readonly string[]) {
    const levels: { node: number; parent: number; unit: number }[][] = [];
    for (const word of words) {
      let node = 0;
      for (let at = 0; at < word.length; at++) {
        const unit = word.charCodeAt(at);
        const known = this.targets.get(node * 65_536 + unit);
        const next = known ?? this.add(node, unit);
        if (known === undefined) {
          const level = levels[at] ?? [];
          level.push({ node: next, parent: node, unit });
          levels[at] = level;
        }
        node = next;
      }
      this.lengths[node] = word.length;
    }
    // By depth, so that the shorter nodes are done.
    for (const level of levels.slice(1)) for (const { node, parent, unit } of level) this.link(node, parent, unit);
  }

  private add(node: number, unit: number): number {
    const added = this.shorter.push(0) - 1;
    this.lengths.push(0);
    this.targets.set(node * 65_536 + unit, added);
    if (node === 0) this.first[unit] = added;
    return added;
  }

  private link(node: number, parent: number, unit: number): void {
    const end = this.step(this.shorter[parent] ?? 0, unit);
    this.shorter[node] = end;
    this.lengths[node] ||= this.lengths[end] ?? 0;
  }

  private step(from: number, unit: number): number {
    let node = from;
    while (node !== 0) {
      const next = this.targets.get(node * 65_536 + unit);
      if (next !== undefined) return next;
      node = this.shorter[node] ?? 0;
    }
    return this.first[unit] ?? 0;
  }

  find(text: string): boolean {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.step(node, text.charCodeAt(at));
      if (this.lengths[node]) return true;
    }
    return false;
  }

  /** Beginnings and ends of the words in a text; those that overlap or touch are one. */
  *places(text: string): Iterable<readonly [number, number]> {
    const found: [number, number][] = [];
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.step(node, text.charCodeAt(at));
      const length = this.lengths[node] ?? 0;
      if (length === 0) continue;
      let start = at + 1 - length;
      for (let last = found.at(-1); last && last[1] >= start; last = found.at(-1)) {
        start = Math.min(start, last[0]);
        found.pop();
      }
      found.push([start, at + 1]);
    }
    yield* found;
  }
}

/** Without regard to case. The long s and the final sigma are other forms of a letter. */
function fold(text: string): string {
  return text.toLowerCase().replace(/[ſς]/g, (letter) => (letter === "ſ" ? "s" : "σ"));
}

/** For so few words a regular expression is ten times faster; its time grows with their number. */
const FEW = 8;

/** Its time is linear in the text, however many words there are; without regard to case. Null = there are no words. */
export function createWordFinder(words: readonly string[]): WordFinder | null {
  const folded = words.map(fold).filter((word) => word !== "");
  if (folded.length === 0) return null;
  if (folded.length <= FEW) {
    const pattern = new RegExp(folded.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "iu");
    return (text) => pattern.test(text);
  }
  const automaton = new Automaton(folded);
  return (text) => automaton.find(fold(text));
}

/**
 * Puts something else in the place of the words; linear like the finder. A text whose length depends on the case of its
 * letters stays as it is.
 */
export function createWordReplacer(words: readonly string[], replacement: string): (text: string) => string {
  const automaton = new Automaton(words.map(fold).filter((word) => word !== ""));
  return (text) => {
    const folded = fold(text);
    if (folded.length !== text.length) return text;
    let [result, from] = ["", 0];
    for (const [start, end] of automaton.places(folded)) {
      result += text.slice(from, start) + replacement;
      from = end;
    }
    return result + text.slice(from);
  };
}
