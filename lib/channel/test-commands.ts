import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { log } from "@/lib/log";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { testChannel } from "@/lib/relay/test-channel";
import { recordChannelTest, reviveChannel } from "./commands";
import { getChannel, listTestableChannelIds, readRelayChannel } from "./queries";
import { disableChannelAutomatically } from "./state-commands";
import { CHANNEL_STATUS, type Channel, type ChannelTestResult, UNTESTABLE_TYPES } from "./types";

const FALLBACK_MODEL = "gpt-4o-mini";
/** Names the lock that allows one run at a time on all machines. */
const RUN_LOCK = 0x7765_6972;

/** Sends a short request through a channel and stores how long it took. Nothing is charged. */
export async function runChannelTest(ctx: ServiceContext, id: number, model = ""): Promise<ChannelTestResult> {
  requireRole(ctx, ROLE.admin);
  const channel = await getChannel(ctx, id);
  if (UNTESTABLE_TYPES.includes(channel.type)) throw new AppError("invalid", "channelNotTestable");
  const wanted = model.trim() || channel.testModel || channel.models.split(",")[0] || FALLBACK_MODEL;
  const result = await testChannel(await readRelayChannel(ctx, id), wanted);
  await recordChannelTest(ctx, id, result.timeMs);
  return { model: wanted, ...result };
}

/**
 * Starts a test of every channel, one after the other, and returns at once; `finished` settles at its end. Throws
 * conflict while a run is going on anywhere.
 */
export async function startChannelTestRun(ctx: ServiceContext): Promise<{ finished: Promise<void> }> {
  requireRole(ctx, ROLE.admin);
  // The lock belongs to a connection: it ends with it, so that a crash cannot leave it behind.
  const connection = await ctx.sql.reserve();
  const [row] = await connection<{ locked: boolean }[]>`select pg_try_advisory_lock(${RUN_LOCK}) as locked`;
  if (!row?.locked) {
    connection.release();
    throw new AppError("conflict", "channelTestRunning");
  }
  const run = async (): Promise<void> => {
    try {
      for (const id of await listTestableChannelIds(ctx)) await visit(ctx, id);
    } catch (error) {
      log.error({ err: error }, "the test of all channels stopped early");
    } finally {
      await connection`select pg_advisory_unlock(${RUN_LOCK})`.catch(() => {});
      connection.release();
    }
  };
  return { finished: run() };
}

async function visit(ctx: ServiceContext, id: number): Promise<void> {
  try {
    const channel = await getChannel(ctx, id);
    await judge(ctx, channel, await runChannelTest(ctx, id), await loadOptions(ctx.db));
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ err: error, channel: id }, "a channel could not be tested");
  }
}

/** What a test result means for the channel, where the operator lets the system decide (contract §4.9, §4.10). */
async function judge(
  ctx: ServiceContext,
  channel: Channel,
  result: ChannelTestResult,
  options: OptionValues,
): Promise<void> {
  if (result.success && channel.status === CHANNEL_STATUS.autoDisabled && options.AutomaticEnableChannelEnabled) {
    await reviveChannel(ctx, channel.id);
    return;
  }
  if (channel.status !== CHANNEL_STATUS.enabled || !options.AutomaticDisableChannelEnabled) return;
  const reason = failureReason(result, options);
  if (reason) await disableChannelAutomatically(ctx.sql, channel.id, reason);
}

function failureReason(result: ChannelTestResult, options: OptionValues): string | null {
  const slowMs = options.ChannelDisableThreshold * 1000;
  if (result.success) {
    return slowMs > 0 && result.timeMs > slowMs ? `test took ${(result.timeMs / 1000).toFixed(2)} s` : null;
  }
  const message = result.message.toLowerCase();
  const fatal =
    result.status === 401 || options.AutomaticDisableKeywords.some((phrase) => message.includes(phrase.toLowerCase()));
  return fatal ? result.message : null;
}
