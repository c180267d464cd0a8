import { asc, sql } from "drizzle-orm";
import type { Sql } from "@/db/client";
import { channels } from "@/db/schema";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { type RecentModelFigures, readModelFigures } from "@/lib/health/model-queries";
import { shareReading } from "@/lib/health/shared-reading";
import { readAvailable } from "@/lib/log-store/read-available";
import type { OperationId } from "@/lib/operations";
import { operationOfName } from "@/lib/provider-catalogue/channel-tests";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { listPrices } from "./queries";
import type { PricedModel } from "./types";

/** Names that tell what a model is for, where no channel test asks for it or where it is for more than one thing. */
const NAMED: readonly (readonly [OperationId, RegExp])[] = [
  ["image_edits", /^(gpt-image|dall-e-2|qwen-image-edit)/i],
  ["transcriptions", /whisper|transcribe|sensevoice/i],
  ["realtime", /realtime/i],
  ["drawing", /^mj_imagine$/],
  ["music", /^suno_(music|lyrics)$/],
  ["videos", /^(sora|veo|kling|hailuo|seedance|vidu)|(^|[-_/])(t2v|i2v|video)([-_]|$)/i],
];
/** Steps of a drawing; none of them is a request that begins with nothing. */
const STEPS = /^(mj_|swap_face$)/;

/** What a model is asked for, as far as its name tells; conversations where it does not. */
export function operationsOfModel(name: string): OperationId[] {
  const others = NAMED.filter(([, names]) => names.test(name)).map(([operation]) => operation);
  if (others.length === 0 && STEPS.test(name)) return [];
  const tested = operationOfName(name);
  // Only pictures are made by models that do something else as well.
  const found = tested !== null && (others.length === 0 || tested === "images") ? [tested, ...others] : others;
  return found.length === 0 ? ["chat"] : found;
}

/** A channel that serves the model; for administrators. */
export type ServingChannel = { id: number; name: string; type: number; status: number };

export type ModelPage = {
  model: PricedModel;
  /** The groups that the visitor may use and that have the model, with their ratios. */
  groups: { name: string; ratio: number }[];
  figures: RecentModelFigures;
  /** What the model is asked for, as far as its name tells. */
  operations: OperationId[];
  /** Null for everybody but administrators. */
  channels: ServingChannel[] | null;
  /** How many channels serve it now; null for visitors without an account. */
  channelCount: number | null;
};

const FIGURES_FRESH_MS = 60_000;
const FIGURES_MAX = 1_000;

const readers = new WeakMap<Sql, (model: string) => Promise<RecentModelFigures>>();

/** The page is public, so all its visitors share the figures. */
function sharedFigures(sql: Sql, model: string): Promise<RecentModelFigures> {
  const known = readers.get(sql);
  if (known) return known(model);
  const read = async (name: string) => (await readAvailable(() => readModelFigures(sql, name))).result;
  const made = shareReading(read, { freshMs: FIGURES_FRESH_MS, max: FIGURES_MAX });
  readers.set(sql, made);
  return made(model);
}

/** One model of the price list. Public as far as the list is. Throws not_found for a model that is not in it. */
export async function getModelPage(ctx: ServiceContext, name: string): Promise<ModelPage> {
  const prices = await listPrices(ctx);
  const model = prices.models.find(({ modelName }) => modelName === name);
  if (!model || model.groups.length === 0) throw new AppError("not_found", "modelNotFound");
  const [figures, serving] = await Promise.all([sharedFigures(ctx.sql, name), listServing(ctx, name)]);
  const { actor } = ctx;
  const isAdmin = actor.type === "user" && actor.role >= ROLE.admin;
  return {
    model,
    groups: model.groups.map((group) => ({ name: group, ratio: prices.groupRatio[group] ?? 1 })),
    figures,
    operations: operationsOfModel(name),
    channels: isAdmin ? serving : null,
    channelCount:
      actor.type === "user" ? serving.filter(({ status }) => status === CHANNEL_STATUS.enabled).length : null,
  };
}

function listServing({ db }: ServiceContext, model: string): Promise<ServingChannel[]> {
  return db
    .select({ id: channels.id, name: channels.name, type: channels.type, status: channels.status })
    .from(channels)
    .where(sql`${model} = any(string_to_array(${channels.models}, ','))`)
    .orderBy(asc(channels.status), asc(channels.id));
}
