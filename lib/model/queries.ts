import { eq, sql } from "drizzle-orm";
import { channels } from "@/db/schema";
import { builtInModels as pricedModels } from "@/lib/billing/built-in-terms";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { listUsableGroups } from "@/lib/group/queries";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";

/** Initial models of a new channel, by channel type; every type has an entry, an empty one where nothing is known. */
export function builtInModelsByType(): Map<number, string[]> {
  const priced = pricedModels();
  return new Map(
    [...channelTypes.values()].map(({ id, models }) => [
      id,
      models ? priced.filter((model) => models.test(model)) : [],
    ]),
  );
}

/** Every model with a built-in price. */
function builtInModels(): string[] {
  return pricedModels();
}

/** Models of enabled channels in the groups the current user may use, in alphabetical order. */
export async function listUsableModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.user);
  const groups = new Set((await listUsableGroups(ctx)).map(({ name }) => name));
  const rows = await listServed(ctx);
  return unique(rows.filter(({ group }) => group.split(",").some((name) => groups.has(name))));
}

/** Models of enabled channels in any group (administrators). */
export async function listEnabledModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  return unique(await listServed(ctx));
}

/** Built-in models by channel type, to pre-fill a new channel. */
export function listModelsByType(ctx: ServiceContext): Record<string, string[]> {
  requireRole(ctx, ROLE.user);
  return Object.fromEntries(builtInModelsByType());
}

/** All built-in models and those of channels, for the channel editor (administrators). */
export async function listKnownModels(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db
    .select({ models: sql<string>`coalesce(string_agg(distinct ${channels.models}, ','), '')` })
    .from(channels);
  return [...new Set([...builtInModels(), ...split(row?.models ?? "")])];
}

function listServed(ctx: ServiceContext): Promise<{ models: string; group: string }[]> {
  return ctx.db
    .select({ models: channels.models, group: channels.group })
    .from(channels)
    .where(eq(channels.status, CHANNEL_STATUS.enabled));
}

function unique(rows: { models: string }[]): string[] {
  return [...new Set(rows.flatMap(({ models }) => split(models)))].sort();
}

function split(models: string): string[] {
  return models.split(",").filter((model) => model !== "");
}

/** Contract §1.5: a fixed time, as in the product this API is compatible with. */
const CREATED = 1_626_777_600;

/** A model in OpenAI's format. */
export function toWireModel(id: string) {
  return { id, object: "model", created: CREATED, owned_by: "weir", permission: [], root: id, parent: null };
}
