import type { Sql } from "@/db/client";
import { resolvePrice } from "@/lib/billing/price";
import type { PriceOptions } from "@/lib/billing/types";

const EXAMPLES_MAX = 5;

/** Imported channels that are on: what they have, and what its upstream calls it where that is another name. */
export type ImportedChannel = { name: string; models: readonly string[]; mapping: Readonly<Record<string, string>> };

export async function listImportedChannels(sql: Sql, sourceId: number): Promise<ImportedChannel[]> {
  const rows = await sql<{ name: string; models: string; mapping: string }[]>`
    select name, models, model_mapping as mapping from channels
    where status = 1 and id in (select new_id from import_ids where source_id = ${sourceId} and kind = 'channels') order by id`;
  return rows.map(({ name, models, mapping }) => ({ name, models: namesIn(models), mapping: readMapping(mapping) }));
}

/** Keys with the same fault. */
export type SilentKeys = { fault: KeyFault; group: string; count: number; examples: string[] };
export type KeyFault = "off" | "account" | "balance" | "channel" | "model" | "price";

type KeyRow = {
  fault: "off" | "account" | "balance" | null;
  group: string;
  limits: string;
  count: number;
  names: string[];
};

/**
 * Imported keys that will not answer, by the first reason: switched off, run out or used up themselves; of an account that is
 * off, or that has no balance; without a channel in their group, a model of theirs in one, or a price of such a model.
 */
export async function listSilentKeys(sql: Sql, sourceId: number, options: PriceOptions): Promise<SilentKeys[]> {
  const rows = await sql<KeyRow[]>`
    select fault, "group", limits, count(*)::int as count, (array_agg(name order by id))[1:${EXAMPLES_MAX}::int] as names
    from (
      select tokens.id, users.username || ' / ' || tokens.name as name, case
          when tokens.status <> 1 or tokens.deleted_at is not null
            or tokens.expired_time > 0 and tokens.expired_time < extract(epoch from now())
            or not tokens.unlimited_quota and tokens.remain_quota <= 0 then 'off'
          when users.status <> 1 or users.deleted_at is not null then 'account'
          when users.quota <= 0 then 'balance' end as fault,
        coalesce(nullif(tokens."group", ''), users."group") as "group",
        case when tokens.model_limits_enabled then tokens.model_limits else '' end as limits
      from tokens join users on users.id = tokens.user_id
      where tokens.id in (select new_id from import_ids where source_id = ${sourceId} and kind = 'tokens')) as keys
    group by fault, "group", limits`;
  const served = await listServed(sql);
  const isPriced = new Map<string, boolean>();
  const found = new Map<string, SilentKeys>();
  for (const { fault: own, group, limits, count, names } of rows) {
    const fault = own ?? faultOf(served.get(group), namesIn(limits), (model) => priced(isPriced, model, options));
    if (fault === null) continue;
    const known = found.get(`${fault} ${group}`) ?? { fault, group, count: 0, examples: [] };
    known.count += count;
    known.examples = [...known.examples, ...names].slice(0, EXAMPLES_MAX);
    found.set(`${fault} ${group}`, known);
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}

function faultOf(
  served: ReadonlySet<string> | undefined,
  limits: readonly string[],
  hasPrice: (model: string) => boolean,
): KeyFault | null {
  if (served === undefined) return "channel";
  const usable = limits.length === 0 ? [...served] : limits.filter((model) => served.has(model));
  if (usable.length === 0) return "model";
  return usable.some(hasPrice) ? null : "price";
}

function priced(known: Map<string, boolean>, model: string, options: PriceOptions): boolean {
  const found = known.get(model) ?? resolvePrice(model, 1, options) !== null;
  known.set(model, found);
  return found;
}

/** The models of all channels that are on, by group. */
async function listServed(sql: Sql): Promise<Map<string, Set<string>>> {
  const rows = await sql<{ models: string; group: string }[]>`select models, "group" from channels where status = 1`;
  const served = new Map<string, Set<string>>();
  for (const { models, group } of rows) {
    for (const name of namesIn(group)) {
      const there = served.get(name) ?? new Set();
      for (const model of namesIn(models)) there.add(model);
      served.set(name, there);
    }
  }
  return served;
}

function namesIn(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function readMapping(text: string): Record<string, string> {
  if (text.trim() === "") return {};
  return JSON.parse(text) as Record<string, string>;
}
