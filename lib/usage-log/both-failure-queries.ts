import { and, desc, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { type BothParts, namedHere } from "@/lib/log-store/both-queries";
import type { Asked, FailureReading, FailureSums } from "./source-types";
import type { Narrowed } from "./stored-hours-queries";
import { rowsOf, timeOfNewest } from "./stored-rows-queries";

type Terms = { byChannel: boolean; newest: number; limit: number };
/** A group with its users, so that those of both parts are counted once. */
type Group = Omit<FailureSums, "users"> & { users: number[]; read: number };

/** Failed requests in groups, of both parts of the log. Each part gives its newest rows. */
export async function groupFailuresOfBoth(
  parts: BothParts<Database>,
  asked: Narrowed,
  { byChannel, newest, limit }: Terms,
): Promise<FailureReading> {
  const [here, there] = await Promise.all([
    groupHere(parts, asked, { byChannel, newest }),
    groupThere(parts, asked, { byChannel, newest }),
  ]);
  const groups = new Map<string, Group>();
  for (const group of [...here, ...there]) {
    const key = JSON.stringify([group.code, group.cause, group.status, group.channelId, group.model]);
    const known = groups.get(key);
    groups.set(key, known ? joined(known, group) : group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || b.lastAt - a.lastAt);
  const read = sorted.reduce((sum, group) => sum + group.read, 0);
  return {
    groups: sorted.slice(0, limit).map(({ read: _, users, ...group }) => ({ ...group, users: new Set(users).size })),
    isPart: sorted.length > limit || read >= newest,
  };
}

function joined(a: Group, b: Group): Group {
  return {
    ...a,
    count: a.count + b.count,
    read: a.read + b.read,
    users: [...a.users, ...b.users],
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
  };
}

async function groupHere(
  parts: BothParts<Database>,
  { where, isShown }: Asked,
  { byChannel, newest }: Omit<Terms, "limit">,
): Promise<Group[]> {
  const rows = await parts.connection.execute<Group>(sql`
    select code, cause, status, channel as "channelId", model, sum(1 + repeats)::bigint as count,
      array_agg(distinct "user") as users, min(at) as "firstAt", max(at) as "lastAt", count(*) as read
    from (
      select ${usageLogs.errorCode} as code, ${usageLogs.errorCause} as cause, ${usageLogs.statusCode} as status,
        ${byChannel ? sql`${usageLogs.channelId}` : sql`0`} as channel, ${usageLogs.modelName} as model,
        ${usageLogs.repeats} as repeats, ${usageLogs.userId} as "user", ${usageLogs.createdAt} as at
      from ${namedHere(parts)} where ${and(isShown ? sql`not ${usageLogs.hidden}` : undefined, where) ?? sql`true`}
      order by ${desc(usageLogs.createdAt)}, ${desc(usageLogs.id)} limit ${newest}
    ) newest group by 1, 2, 3, 4, 5`);
  return rows.map(toGroup);
}

async function groupThere(
  { stored }: BothParts<Database>,
  asked: Narrowed,
  { byChannel, newest }: Omit<Terms, "limit">,
): Promise<Group[]> {
  // Older ones would only be sorted.
  const from = await timeOfNewest(stored, nowSeconds(), asked, newest);
  const rows = await stored.query<Record<keyof Group, never>>(`
    select code, cause, status, channelId, model, sum(1 + repeats) as count, groupUniqArray(user) as users,
      min(at) as firstAt, max(at) as lastAt, count() as read
    from (
      select error_code as code, error_cause as cause, status_code as status,
        ${byChannel ? "channel_id" : "0"} as channelId, model_name as model, repeats, user_id as user, created_at as at
      from ${rowsOf(stored, { ...asked, from })} order by created_at desc, id desc limit ${newest}
    ) group by code, cause, status, channelId, model`);
  return rows.map(toGroup);
}

/** 64-bit integers come as text. */
function toGroup(row: Record<keyof Group, unknown>): Group {
  const users = Array.isArray(row.users) ? row.users.map(Number) : [];
  return {
    code: String(row.code),
    cause: String(row.cause),
    model: String(row.model),
    status: Number(row.status),
    channelId: Number(row.channelId),
    count: Number(row.count),
    firstAt: Number(row.firstAt),
    lastAt: Number(row.lastAt),
    read: Number(row.read),
    users,
  };
}
