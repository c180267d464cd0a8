import { RULE_ROWS } from "./rows";
import { EFFORT_WORDS, type EffortWord, type OwnRow, type Provider, type Rules } from "./schema";

type Matcher = { models: RegExp; at?: readonly Provider[] | undefined; like?: string | undefined; rules: Rules };

const builtIn: readonly Matcher[] = RULE_ROWS.map(({ family: _, models, at, source: __, checked: ___, ...rules }) => ({
  ...{ models, at, rules },
}));

/** Callers choose the names of models, so the cache must be bounded. */
const KNOWN_MAX = 5_000;
const NO_ROWS: readonly OwnRow[] = [];

class Table {
  private readonly known = new Map<Provider | undefined, Map<string, Rules>>();

  private readonly matchers: readonly Matcher[];

  constructor(matchers: readonly Matcher[]) {
    this.matchers = matchers;
  }

  /** One look-up for a name that was asked for before. */
  find(model: string, provider: Provider | undefined): Rules {
    let ofProvider = this.known.get(provider);
    if (!ofProvider) {
      ofProvider = new Map();
      this.known.set(provider, ofProvider);
    }
    const present = ofProvider.get(model);
    if (present) return present;
    if (ofProvider.size >= KNOWN_MAX) ofProvider.clear();
    const found = this.merge(plainName(model), provider, {});
    ofProvider.set(model, found);
    return found;
  }

  private merge(name: string, provider: Provider | undefined, known: Rules, canBeLike = true): Rules {
    let merged = known;
    for (const { models, at, like, rules } of this.matchers) {
      if ((at && (provider === undefined || !at.includes(provider))) || !models.test(name)) continue;
      merged = { ...rules, ...merged };
      if (like !== undefined && canBeLike) return this.merge(plainName(like), provider, merged, false);
    }
    return merged;
  }
}

const builtInTable = new Table(builtIn);
const tables = new WeakMap<readonly OwnRow[], Table>();

/**
 * What is known of a model at a provider; undefined = at any. `own`: the operator's rows, always the same object until they
 * change.
 */
export function rulesOf(model: string, provider?: Provider, own: readonly OwnRow[] = NO_ROWS): Rules {
  if (own.length === 0) return builtInTable.find(model, provider);
  let table = tables.get(own);
  if (!table) {
    const first = own.map(({ models, at, like, ...rules }) => ({ models: new RegExp(models, "u"), at, like, rules }));
    table = new Table([...first, ...builtIn]);
    tables.set(own, table);
  }
  return table.find(model, provider);
}

/** Region and maker before a name at Bedrock, as in us.anthropic.claude-…. "deepseek." is a part of the name there. */
const BEFORE =
  /^(?:ft:)?(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?(?:(?:anthropic|amazon|openai|qwen|moonshot|moonshotai|zai|minimax|mistral|google|nvidia|meta)\.)?/;

function plainName(model: string): string {
  const name = model.toLowerCase();
  return name.slice(name.lastIndexOf("/") + 1).replace(BEFORE, "");
}

/** The nearest effort that does not exceed the wanted one, else the least; undefined = there is none. */
export function nearestEffort(wanted: EffortWord, efforts: readonly EffortWord[]): EffortWord | undefined {
  // For callers of some APIs xhigh is the highest effort there is.
  if (wanted === "xhigh" && !efforts.includes("xhigh") && efforts.includes("max")) return "max";
  // Models with low, high and max treat medium as high.
  if (wanted === "medium" && !efforts.includes("medium") && efforts.includes("max")) return "high";
  const rank = EFFORT_WORDS.indexOf(wanted);
  return efforts.findLast((effort) => EFFORT_WORDS.indexOf(effort) <= rank) ?? efforts[0];
}

export function isEffortWord(value: unknown): value is EffortWord {
  return EFFORT_WORDS.includes(value as EffortWord);
}
