import { and, eq, gte } from "drizzle-orm";
import { channels, usageLogs } from "@/db/schema";
import { resolvePrice } from "@/lib/billing/resolve-price";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { usableGroups } from "@/lib/group/queries";
import { readAvailable } from "@/lib/log-store/read-available";
import { loadOptions } from "@/lib/option/queries";
import { servesOperation } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { logSource } from "@/lib/usage-log/source";
import { purposesOf } from "./model-purposes";
import { PLAYGROUND_OPERATIONS, type PlaygroundCharge, type PlaygroundChoices, type PlaygroundGroup } from "./types";

/** A charge is asked for right after its call; older partitions of the log need not be read. */
const CHARGE_SECONDS = 86_400;

type ServingChannel = { type: number; models: string; group: string; modelMapping: string | null };
type Prices = PlaygroundChoices["prices"];
type ModelSets = Record<keyof PlaygroundGroup["models"], Set<string>>;

/**
 * The current user's choices in the playground: usable groups, the user's own first (B121), each with its models in
 * alphabetical order by what they are for, and their prices by the relay's rules.
 */
export async function listPlaygroundChoices(ctx: ServiceContext): Promise<PlaygroundChoices> {
  const actor = requireRole(ctx, ROLE.user);
  const { type, models, group, modelMapping } = channels;
  const [options, serving] = await Promise.all([
    loadOptions(ctx.db),
    ctx.db
      .selectDistinct({ type, models, group, modelMapping })
      .from(channels)
      .where(eq(channels.status, CHANNEL_STATUS.enabled)),
  ]);
  const usable = usableGroups(options, actor.group);
  const names = new Set(usable.map(({ name }) => name));
  const shown = serving.filter((channel) => split(channel.group).some((name) => names.has(name)));
  const prices: Prices = {};
  for (const model of new Set(shown.flatMap((channel) => split(channel.models)))) {
    const price = resolvePrice(model, 1, options);
    if (price) prices[model] = price;
  }
  const sets = modelsByGroup(shown, prices);
  const own = usable.filter(({ name }) => name === actor.group);
  const others = usable.filter(({ name }) => name !== actor.group);
  const groups = [...own, ...others].map((group) => ({ ...group, models: sorted(sets.get(group.name) ?? noModels()) }));
  return { groups, prices };
}

function modelsByGroup(serving: readonly ServingChannel[], prices: Prices): Map<string, ModelSets> {
  const found = new Map<string, ModelSets>();
  for (const channel of serving) {
    for (const name of split(channel.group)) {
      const sets = found.get(name) ?? noModels();
      found.set(name, sets);
      addModels(sets, channel, prices);
    }
  }
  return found;
}

/** A model that its channel maps to another is for what that one is for. */
function addModels(sets: ModelSets, { type, models, modelMapping }: ServingChannel, prices: Prices): void {
  const mapping = readMapping(modelMapping);
  const operations = PLAYGROUND_OPERATIONS.filter((operation) => servesOperation(type, operation));
  for (const model of split(models)) {
    const mapped = mapping[model];
    const purposes = purposesOf(typeof mapped === "string" ? mapped : model, prices[model]?.meterPrices);
    const fitting = operations.filter((operation) => purposes.has(operation));
    // A type without conversations that serves one operation serves it with every model that has no name for another.
    const meant = fitting.length === 0 && purposes.has("chat") && operations.length === 1 ? operations : fitting;
    for (const operation of meant) sets[operation].add(model);
  }
}

function readMapping(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const noModels = (): ModelSets => ({
  chat: new Set(),
  images: new Set(),
  speech: new Set(),
  transcriptions: new Set(),
  embeddings: new Set(),
});

function sorted(sets: ModelSets): PlaygroundGroup["models"] {
  const { chat, images, speech, transcriptions, embeddings } = sets;
  return {
    chat: [...chat].sort(),
    images: [...images].sort(),
    speech: [...speech].sort(),
    transcriptions: [...transcriptions].sort(),
    embeddings: [...embeddings].sort(),
  };
}

function split(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** What the current user was charged for a call; null = it is not settled yet, or not theirs. */
export async function findPlaygroundCharge(ctx: ServiceContext, requestId: string): Promise<PlaygroundCharge | null> {
  const actor = requireRole(ctx, ROLE.user);
  const since = nowSeconds() - CHARGE_SECONDS;
  // A call that was just made has not left PostgreSQL while the log store is away.
  const asked = {
    where: and(eq(usageLogs.requestId, requestId), eq(usageLogs.userId, actor.id), gte(usageLogs.createdAt, since)),
    isShown: false,
    from: since,
    requestId,
    limit: 1,
  };
  const { result } = await readAvailable(() => logSource(ctx).newest(asked));
  const [row] = result;
  if (!row) return null;
  const { quota, promptTokens, completionTokens } = row;
  return { quota, promptTokens, completionTokens };
}
