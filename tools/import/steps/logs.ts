import { dateCharges } from "@/lib/billing/opening-ledger";
import { nowSeconds } from "@/lib/clock";
import { LOG_TYPE } from "@/lib/row-status";
import { convertRows, leaveOut, noteChange } from "../findings";
import { insertLogs, type NewLog } from "../log-commands";
import { findOwners } from "../log-owners";
import type { Step, StepContext } from "../step";
import type { SourceRow } from "../types";
import { amountOf, cut, flagOf, objectOf, textOf, wholeOf } from "../values";

/** Before this, a time is none. The first hours of the epoch are for what no log dates. */
const OLDEST = 946_684_800;
const DAY = 86_400;
const INT_MAX = 2_147_483_647;
const NAME_MAX = 64;
/** new-api's type for refunds; here they are rows of the system. */
const REFUND = 6;

type Draft = NewLog & { oldUser: number; oldToken: number; oldChannel: number };

/**
 * Rows of the usage log. They change no balance: what each charged is a part of the used quota that moved with its user and key, and
 * is only given its hour, channel and model (lib/billing/opening-ledger.ts).
 */
export const logs: Step = {
  kind: "logs",
  table: "logs",
  key: "id",
  columns: [
    "id",
    "user_id",
    "created_at",
    "type",
    "content",
    "token_name",
    "model_name",
    "quota",
    "prompt_tokens",
    "completion_tokens",
    "use_time",
    "elapsed_time",
    "is_stream",
    "channel_id",
    "token_id",
    "group",
    "ip",
    "other",
  ],
  ignored: [
    "username",
    "channel",
    "request_id",
    "upstream_request_id",
    "system_prompt_reset",
    "endpoint",
    "request_time",
  ],
  batch: 10_000,
  async run(rows, at) {
    const { ctx, findings, settings } = at;
    const drafts = convertRows(rows, findings, (row) => convert(row, at));
    const owners = await findOwners(drafts, at);
    const known = drafts.filter(({ oldUser, requestId }) => {
      if (owners.users.has(oldUser)) return true;
      leaveOut(findings, "the user was not imported", `#${requestId.split(":").at(-1)} of user #${oldUser}`);
      return false;
    });
    findings.moved += known.length;
    if (settings.dryRun) return;
    const moving = known.map(({ oldUser, oldToken, oldChannel, ...log }): NewLog => {
      const { id = 0, username = "" } = owners.users.get(oldUser) ?? {};
      const token = owners.tokens.get(oldToken);
      // There, an id may have been given a second time: what a user consumed is never shown as that of another user's key.
      const tokenId = token?.userId === id ? token.id : 0;
      return { ...log, userId: id, username, tokenId, channelId: owners.channels.get(oldChannel) ?? 0 };
    });
    await insertLogs(ctx.db, moving);
    await dateCharges(
      ctx.db,
      moving
        .filter(({ type }) => type === LOG_TYPE.consume)
        .map((log) => ({ ...log, at: log.createdAt, model: log.modelName })),
    );
  },
};

function convert(row: SourceRow, { findings, sourceId }: StepContext): Draft | string {
  const oldId = wholeOf(row, "id") ?? 0;
  const createdAt = wholeOf(row, "created_at") ?? 0;
  if (createdAt < OLDEST || createdAt > nowSeconds() + DAY) return "no time, or one in the future";
  const type = wholeOf(row, "type") ?? 0;
  if (type !== REFUND && !Object.values(LOG_TYPE).some((known) => known === type)) return `the type ${type} is unknown`;
  const quota = amountOf(row, "quota");
  if (typeof quota !== "number") return "the charge is beyond 9007199254740991 or no number";
  const other = objectOf(row, "other");
  if (other === "broken") noteChange(findings, "the details are no JSON: left out", `#${oldId}`);
  const details = typeof other === "object" ? other : {};
  const firstToken = Number(details.frt);
  return {
    requestId: `import:${sourceId}:${oldId}`,
    createdAt,
    type: type === REFUND ? LOG_TYPE.system : type,
    oldUser: wholeOf(row, "user_id") ?? 0,
    oldToken: wholeOf(row, "token_id") ?? 0,
    oldChannel: wholeOf(row, "channel_id") ?? 0,
    userId: 0,
    username: "",
    tokenId: 0,
    channelId: 0,
    tokenName: cut(textOf(row, "token_name"), NAME_MAX),
    modelName: textOf(row, "model_name"),
    group: cut(textOf(row, "group"), NAME_MAX),
    quota,
    promptTokens: countOf(row, "prompt_tokens"),
    completionTokens: countOf(row, "completion_tokens"),
    useTimeMs: Math.min(countOf(row, "elapsed_time") || countOf(row, "use_time") * 1_000, INT_MAX),
    firstTokenMs: Number.isFinite(firstToken) && firstToken > 0 ? Math.min(Math.round(firstToken), INT_MAX) : null,
    isStream: flagOf(row, "is_stream"),
    clientIp: cut(textOf(row, "ip"), NAME_MAX),
    content: textOf(row, "content"),
    other: withoutAttempts(details),
  };
}

function countOf(row: SourceRow, column: string): number {
  return Math.min(Math.max(wholeOf(row, column) ?? 0, 0), INT_MAX);
}

/** The check of the books reads Weir's own attempts there. */
function withoutAttempts(details: Record<string, unknown>): Record<string, unknown> {
  const admin = details.admin_info;
  if (typeof admin !== "object" || admin === null || !("attempts" in admin)) return details;
  const { attempts: _, ...rest } = admin;
  return { ...details, admin_info: rest };
}
