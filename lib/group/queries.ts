import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";

/** A group the user may choose, with its price ratio. */
export type UsableGroup = { name: string; ratio: number; description: string };

/** Names of all groups (administrators). */
export async function listGroupNames(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  return Object.keys((await loadOptions(ctx.db)).GroupRatio);
}

/** The groups the current user may choose; only the public ones when not signed in. */
export async function listUsableGroups(ctx: ServiceContext): Promise<UsableGroup[]> {
  const own = ctx.actor.type === "user" ? ctx.actor.group : null;
  return usableGroups(await loadOptions(ctx.db), own);
}

/** UserUsableGroups and the user's own group, limited to groups that have a ratio (contract §1.5). */
export function usableGroups(options: OptionValues, ownGroup: string | null): UsableGroup[] {
  const descriptions = new Map(Object.entries(options.UserUsableGroups));
  if (ownGroup !== null && !descriptions.has(ownGroup)) descriptions.set(ownGroup, ownGroup);
  const ratios = new Map(Object.entries(options.GroupRatio));
  return [...descriptions].flatMap(([name, description]) => {
    const ratio = ratios.get(name);
    return ratio === undefined ? [] : [{ name, ratio, description }];
  });
}

export function toWireUsableGroups(groups: UsableGroup[]): Record<string, { ratio: number; desc: string }> {
  return Object.fromEntries(groups.map(({ name, ratio, description }) => [name, { ratio, desc: description }]));
}
