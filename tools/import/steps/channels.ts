import { createChannels } from "@/lib/channel/commands";
import { splitKeys } from "@/lib/channel/schemas";
import { AppError } from "@/lib/errors";
import { englishText } from "@/lib/i18n/english-text";
import { findSameChannel, setImportedState } from "../channel-state-commands";
import { CHANNEL_COLUMNS, type ChannelDraft, convertChannel } from "../convert-channel";
import { leaveOut, noteChange } from "../findings";
import type { Step, StepContext } from "../step";
import { wholeOf } from "../values";

export const channels: Step = {
  kind: "channels",
  table: "channels",
  key: "id",
  columns: CHANNEL_COLUMNS,
  // What was used is not a sum of anything that moves, unless the logs do; tests and balances are made anew here.
  ignored: [
    "test_time",
    "response_time",
    "balance",
    "balance_updated_time",
    "used_quota",
    "remark",
    "need_reconcile",
    "created_at",
    "updated_at",
    "hidden_models",
    "inference_profile_arn_map",
    "allow_streaming",
    "allow_non_streaming",
  ],
  batch: 100,
  async run(rows, at) {
    for (const row of rows) {
      const oldId = wholeOf(row, "id") ?? 0;
      const draft = convertChannel(row, at.settings.system, at.findings);
      const refused = typeof draft === "string" ? draft : await move(oldId, draft, at);
      if (refused !== null) leaveOut(at.findings, refused, `#${oldId} ${String(row.name ?? "")}`);
      else at.findings.moved++;
    }
  },
};

/** Returns why it was left out; null = it is here. */
async function move(
  oldId: number,
  draft: ChannelDraft,
  { ctx, lookups, findings, settings }: StepContext,
): Promise<string | null> {
  const { input } = draft;
  const [key = ""] = splitKeys(input.type, input.key);
  const same = await findSameChannel(ctx.db, input.type, key);
  if (same && settings.onCollision === "skip") return "a channel of this type with this key is here already";
  if (same)
    noteChange(
      findings,
      "a channel of this type with this key is here already: there are two now",
      `#${oldId} ${input.name}`,
    );
  if (settings.dryRun) {
    await lookups.remember("channels", [[oldId, oldId]]);
    return null;
  }
  try {
    const [made] = await createChannels(ctx, input);
    if (!made) return "the channel could not be created";
    await setImportedState(ctx.db, made.id, draft);
    await lookups.remember("channels", [[oldId, made.id]]);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `refused as a channel: ${englishText(error)}`;
  }
}
