import { sql } from "drizzle-orm";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { updateChannel } from "./commands";
import type { UpdateChannelInput } from "./schemas";
import type { Channel } from "./types";

const SUFFIX_MAX = 32;
const NAME_MAX = 255;

/**
 * Creates a second channel with the same settings and keys; the keys never leave the server. The suffix is added to the
 * name. Usage, balance and test results are not copied; a channel disabled by the system is copied as disabled by hand.
 * Returns the new id. Throws not_found.
 */
export async function copyChannel(ctx: ServiceContext, id: number, suffix: string): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const ending = suffix.slice(0, SUFFIX_MAX);
  return ctx.db.transaction(async (tx) => {
    const rows = await tx.execute<{ id: number; name: string }>(sql`
      insert into channels (type, key_cipher, key_fingerprint, openai_organization, test_model, status, name, weight,
        priority, base_url, other, models, "group", model_mapping, status_code_mapping, auto_ban, tag, setting,
        param_override, private_allowed, requests_per_minute, tokens_per_minute, concurrency_limit)
      select type, key_cipher, key_fingerprint, openai_organization, test_model,
        case when status = ${CHANNEL_STATUS.enabled} then status else ${CHANNEL_STATUS.disabled} end,
        left(name, ${NAME_MAX - ending.length}::int) || ${ending}::text, weight, priority, base_url, other, models, "group",
        model_mapping, status_code_mapping, auto_ban, tag, setting, param_override, private_allowed,
        requests_per_minute, tokens_per_minute, concurrency_limit
      from channels where id = ${id}
      returning id, name`);
    const [made] = rows;
    if (!made) throw new AppError("not_found", "channelCopyGone");
    await tx.execute(sql`
      insert into channel_keys (channel_id, key_cipher, fingerprint, status)
      select ${made.id}::int, key_cipher, fingerprint,
        case when status = ${CHANNEL_STATUS.enabled} then status else ${CHANNEL_STATUS.disabled} end
      from channel_keys where channel_id = ${id} order by id`);
    const after = { name: made.name, copiedFrom: id };
    await writeAudit(tx, ctx, { action: "channel.copy", subject: `channel:${made.id}`, after });
    return made.id;
  });
}

/**
 * Creates a channel with the keys of another one and the given fields; what is not given is that channel's. As with a
 * change, only root may have the keys sent to another address. Throws not_found.
 */
export function createFromChannel(
  ctx: ServiceContext,
  source: number,
  fields: Omit<UpdateChannelInput, "id" | "key">,
): Promise<Channel> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const id = await copyChannel(inside, source, "");
    return updateChannel(inside, { ...fields, id });
  });
}
