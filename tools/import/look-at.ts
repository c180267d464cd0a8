import type { Sql } from "@/db/client";
import { resolvePrice } from "@/lib/billing/price";
import type { OptionValues } from "@/lib/option/registry";
import type { Findings } from "./findings";
import { type ImportedChannel, type KeyFault, listImportedChannels, listSilentKeys } from "./look-at-queries";
import type { Kind } from "./types";

/** One thing to look at after an import. */
export type LookAt = {
  what: string;
  count: number;
  /** The first of them; never a secret. */
  examples: string[];
  /** The command or the page that mends it. */
  mend: string;
  /** It was so in the other system already, so that the exit code says nothing of it. */
  isKnown?: true;
};

const EXAMPLES_MAX = 20;
/** What one-api charges a model at that its list of ratios does not have. */
export const ONE_API_DEFAULT_RATIO = 30;

export type Imported = {
  system: string;
  sourceId: number;
  kinds: Partial<Record<Kind, Findings>>;
  /** The options of the source, as it has them. */
  options: ReadonlyMap<string, string>;
};

/** What to look at after an import: prices, then what was left out, then keys that will not answer. */
export async function lookAtImport(sql: Sql, here: OptionValues, imported: Imported): Promise<LookAt[]> {
  const { system, sourceId, kinds } = imported;
  const channels = await listImportedChannels(sql, sourceId);
  const silent = await listSilentKeys(sql, sourceId, here);
  return [
    ...lookAtPrices(channels, here, imported),
    ...(["options", "channels", "users", "tokens", "redemptions"] as const).flatMap((kind) =>
      lookAtLeftOut(system, kind, kinds[kind]),
    ),
    ...silent.map(({ fault, group, count, examples }) => ({ ...FAULTS[fault](group), count, examples })),
  ];
}

/** Models that one-api served at its default ratio: of channels that were imported, without a ratio of their own there. */
export function modelsAtDefault(channels: readonly ImportedChannel[], options: ReadonlyMap<string, string>): string[] {
  const ratios = readNames(options.get("ModelRatio"));
  if (ratios === null) return [];
  const models = channels.flatMap(({ models: all, mapping }) =>
    // That system charges the name that the upstream is asked for.
    all.filter((model) => !ratios.has(model) && !ratios.has(mapping[model] ?? model)),
  );
  return [...new Set(models)].sort();
}

/** "gpt-4(3)" is the ratio of gpt-4 at channels of type 3. */
function readNames(text: string | undefined): Set<string> | null {
  try {
    const map: unknown = JSON.parse(text ?? "null");
    return typeof map === "object" && map !== null
      ? new Set(Object.keys(map).map((name) => name.replace(/\(\d+\)$/, "")))
      : null;
  } catch {
    return null;
  }
}

function lookAtPrices(
  channels: readonly ImportedChannel[],
  here: OptionValues,
  { system, options }: Imported,
): LookAt[] {
  const models = [...new Set(channels.flatMap(({ models: all }) => all))].sort();
  const unpriced = models.filter((model) => resolvePrice(model, 1, here) === null);
  const isOwn = (model: string) => Object.hasOwn(here.ModelRatio, model) || Object.hasOwn(here.ModelPrice, model);
  const atDefault = system === "one-api" ? modelsAtDefault(channels, options).filter((model) => !isOwn(model)) : [];
  const priced = atDefault.filter((model) => !unpriced.includes(model));
  const take = `to charge them the same here: weir import one-api --from … --default-ratio`;
  return [
    ...listed("models in channels without a price: their requests are refused with 400", unpriced, {
      mend:
        atDefault.length > priced.length
          ? `set prices at /setting/prices/list; one-api charged those that its list does not have at ratio ${ONE_API_DEFAULT_RATIO}, ${take}`
          : "set prices at /setting/prices/list",
    }),
    ...listed(
      `models that one-api charged at its default ratio of ${ONE_API_DEFAULT_RATIO}, and that have a built-in price here`,
      priced,
      { mend: `look at /setting/prices/list; ${take}`, isKnown: true },
    ),
  ];
}

function listed(what: string, names: readonly string[], rest: Pick<LookAt, "mend" | "isKnown">): LookAt[] {
  return names.length === 0 ? [] : [{ what, count: names.length, examples: names.slice(0, EXAMPLES_MAX), ...rest }];
}

const NAMES: Partial<Record<Kind, string>> = {
  options: "settings",
  channels: "channels",
  users: "accounts",
  tokens: "keys",
  redemptions: "codes",
};

/** Reasons that need nothing done: what was deleted there, or is here already. */
const HARMLESS =
  /^(deleted there|the key is here already|a channel of this type with this key is here already|no such option:|has a price here)|: kept as it is here/;

function lookAtLeftOut(system: string, kind: Kind, findings: Findings | undefined): LookAt[] {
  return Object.entries(findings?.leftOut ?? {}).map(([reason, { count, examples }]) => ({
    what: `${NAMES[kind] ?? kind} left out: ${reason}`,
    count,
    examples,
    mend: mendOf(system, kind, reason),
    ...(HARMLESS.test(reason) ? { isKnown: true as const } : {}),
  }));
}

function mendOf(system: string, kind: Kind, reason: string): string {
  if (/name is taken/.test(reason)) return `weir import ${system} --from … --on-collision rename`;
  if (/(user|team|was) .*not imported/.test(reason))
    return "import the account first, as above, and run the import again";
  if (/kept as it is here/.test(reason)) return `weir import ${system} --from … --options`;
  if (kind === "options") return /Ratio|Price/.test(reason) ? "set it at /setting/prices/list" : "set it at /setting";
  if (kind === "channels") return "make the channel at /channel";
  if (kind === "users") return "make the account at /user";
  if (kind === "tokens") return "make a new key at /token";
  return "make it anew at /redemption";
}

type Fault = Pick<LookAt, "what" | "mend" | "isKnown">;

const FAULTS: Record<KeyFault, (group: string) => Fault> = {
  off: (group) => ({
    what: `keys of group ${group} that are switched off, have run out or are used up, as they were there`,
    mend: "their owners switch them on or raise the limit at /token",
    isKnown: true,
  }),
  account: (group) => ({
    what: `keys of group ${group} whose accounts are switched off, as they were there`,
    mend: "/user?status=disabled",
    isKnown: true,
  }),
  balance: (group) => ({
    what: `keys of group ${group} whose accounts have no balance, as they had none there`,
    mend: "raise the balance at /user",
    isKnown: true,
  }),
  channel: (group) => ({
    what: `keys that will not answer: no channel that is on has their group ${group}`,
    mend: `add the group ${group} to a channel at /channel`,
  }),
  model: (group) => ({
    what: `keys that will not answer: no channel of their group ${group} has a model of theirs`,
    mend: "add the models to a channel at /channel, or change the key's list",
  }),
  price: (group) => ({
    what: `keys that will not answer: none of the models that they reach in group ${group} has a price`,
    mend: "set prices at /setting/prices/list",
  }),
};
