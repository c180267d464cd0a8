import { eq } from "drizzle-orm";
import { channels } from "@/db/schema";
import { resolvePrice } from "@/lib/billing/resolve-price";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { usableGroups } from "@/lib/group/queries";
import { loadOptions } from "@/lib/option/queries";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { PlaygroundChoices } from "./types";

/**
 * The current user's choices in the playground: usable groups, the user's own first (B121), each with its models in
 * alphabetical order, and their prices by the relay's rules.
 */
export async function listPlaygroundChoices(ctx: ServiceContext): Promise<PlaygroundChoices> {
  const actor = requireRole(ctx, ROLE.user);
  const [options, served] = await Promise.all([
    loadOptions(ctx.db),
    ctx.db
      .selectDistinct({ models: channels.models, group: channels.group })
      .from(channels)
      .where(eq(channels.status, CHANNEL_STATUS.enabled)),
  ]);
  const modelsByGroup = new Map<string, Set<string>>();
  for (const { models, group } of served) {
    const names = split(models);
    for (const name of split(group)) {
      const known = modelsByGroup.get(name) ?? new Set();
      for (const model of names) known.add(model);
      modelsByGroup.set(name, known);
    }
  }
  const usable = usableGroups(options, actor.group);
  const own = usable.filter(({ name }) => name === actor.group);
  const others = usable.filter(({ name }) => name !== actor.group);
  const groups = [...own, ...others].map((group) => ({
    ...group,
    models: [...(modelsByGroup.get(group.name) ?? [])].sort(),
  }));
  const names = new Set(groups.flatMap(({ models }) => models));
  const prices: PlaygroundChoices["prices"] = {};
  for (const model of names) {
    const price = resolvePrice(model, 1, options);
    if (price) prices[model] = price;
  }
  return { groups, prices };
}

function split(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
