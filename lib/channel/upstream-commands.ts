import { eq } from "drizzle-orm";
import { ZodError, z } from "zod";
import { channels } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { egressFetch, type Trust } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { addressWith, bearer, ChannelSetupError, openaiModels, rows, TokenFailure } from "@/lib/relay/providers";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { meantBaseUrl } from "./meant-base-url";
import { readRelayChannel } from "./queries";
import { channelFields } from "./schemas";

const TIMEOUT_MS = 10_000;
/** Parallel requests when all balances are refreshed. */
const PARALLEL = 8;

/**
 * Asks the channel's upstream for its balance and stores it; returns the amount in the upstream's unit. Throws invalid
 * for a type without a balance call, upstream when no amount was returned.
 */
export async function updateChannelBalance(ctx: ServiceContext, id: number): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const channel = await readRelayChannel(ctx, id);
  const row = rows.get(channel.type);
  if (!row?.balance) throw new AppError("invalid", "channelBalanceUnsupported");
  const reader = row.balance;
  const base = channel.baseUrl || (reader.baseUrl ?? row.baseUrl);
  const [key = ""] = channel.key.split("\n");
  const balance = await read(() =>
    reader.read((path, headers) => ask(`${base}${path}`, headers, channel.trust), key, new Date()),
  );
  await ctx.db.update(channels).set({ balance, balanceUpdatedTime: nowSeconds() }).where(eq(channels.id, id));
  return balance;
}

/** `message` is a key under "errors" with its parameters. */
export type BalanceFailure = { id: number; name: string; message: string; params: AppError["params"] };
export type BalanceRun = { updated: number; failed: BalanceFailure[] };

/** Refreshes the balances of all enabled channels whose type supports it; a failure does not stop the others. */
export async function updateAllBalances(ctx: ServiceContext): Promise<BalanceRun> {
  requireRole(ctx, ROLE.admin);
  const enabled = await ctx.db
    .select({ id: channels.id, name: channels.name, type: channels.type })
    .from(channels)
    .where(eq(channels.status, CHANNEL_STATUS.enabled));
  const waiting = enabled.filter(({ type }) => rows.get(type)?.balance);
  const run: BalanceRun = { updated: 0, failed: [] };
  const work = async (): Promise<void> => {
    for (let channel = waiting.pop(); channel; channel = waiting.pop()) {
      try {
        await updateChannelBalance(ctx, channel.id);
        run.updated += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        run.failed.push({ id: channel.id, name: channel.name, message: error.messageKey, params: error.params });
        logger.warn({ channel: channel.id, reason: error.messageKey }, "a balance could not be read");
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return run;
}

/** Ids of the models that a saved channel's upstream offers. Throws upstream. */
export async function fetchChannelModels(ctx: ServiceContext, id: number): Promise<string[]> {
  requireRole(ctx, ROLE.admin);
  const { type, baseUrl, key, other, trust } = await readRelayChannel(ctx, id);
  return fetchModels({ type, baseUrl, key, other, trust });
}

const unsavedSchema = z.object({
  type: z.number("channelTypeInvalid").int("channelTypeInvalid"),
  baseUrl: channelFields.baseUrl,
  key: z.string("channelKeyMissing").trim().min(1, "channelKeyMissing").max(20_000, "channelKeyTooLong"),
  other: z.string().trim().max(65_536).default(""),
});

/**
 * The same for a channel that is not saved yet. An address that root did not enter is treated as public: private
 * networks are refused (contract §12 no. 32).
 */
export async function fetchModelsOf(ctx: ServiceContext, input: z.input<typeof unsavedSchema>): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.admin);
  const unsaved = parseInput(unsavedSchema, input);
  const baseUrl = meantBaseUrl(unsaved.type, unsaved.baseUrl);
  return fetchModels({ ...unsaved, baseUrl, trust: actor.role >= ROLE.root ? "operator" : "public" });
}

type ModelSource = { type: number; baseUrl: string; key: string; other: string; trust: Trust };

async function fetchModels({ type, baseUrl, key, other, trust }: ModelSource): Promise<string[]> {
  const row = rows.get(type);
  const list = row ? row.modelList : openaiModels("/v1/models");
  if (!list) throw new AppError("invalid", "channelModelListUnsupported");
  const base = (baseUrl || row?.baseUrl || "").replace(/\/+$/, "");
  if (base === "") throw new AppError("invalid", "channelBaseUrlInvalid");
  const url = `${base}${typeof list.path === "string" ? list.path : list.path(other)}`;
  const [first = ""] = key.split("\n");
  const auth = list.auth ?? row?.auth ?? bearer;
  const models = await read(async () => {
    const credentials = await auth(first.trim(), { url, body: Buffer.alloc(0), trust, proxy: "" });
    const headers = pairs([...(row?.quirks.headers ?? []), ...credentials.headers]);
    const { origin, pathname, search } = new URL(url);
    const address = addressWith({ origin, path: pathname + search }, credentials);
    return list.read(await ask(address.origin + address.path, headers, trust));
  });
  return [...new Set(models)];
}

/** Alternating names and values as an object. */
function pairs(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : [])));
}

async function ask(url: string, headers: Record<string, string>, trust: Trust): Promise<unknown> {
  const reply = await egressFetch(url, { headers, trust, timeoutMs: TIMEOUT_MS });
  if (reply.status < 200 || reply.status > 299) {
    throw new AppError("upstream", "upstreamStatus", { status: reply.status });
  }
  return JSON.parse(reply.body.toString("utf8"));
}

/** Turns an unexpected response format into an "upstream" error. */
async function read<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ChannelSetupError || error instanceof TokenFailure)
      throw new AppError("invalid", "channelKeyUnusable", { reason: error.message });
    if (error instanceof ZodError || error instanceof SyntaxError)
      throw new AppError("upstream", "upstreamAnswerStrange", {}, error);
    throw error;
  }
}
