import type { Sql } from "@/db/client";
import { RelayError } from "../../base/relay-error";
import type { Owner } from "../../base/upstream-objects/queries";
import type { Exchange } from "../../http/exchange";
import { listObjects } from "./stored-objects";

const LIMITS = { file: { usual: 1_000, max: 10_000 }, batch: { usual: 20, max: 100 } } as const;

/** What the user has, out of our own table: an upstream's list has what other users have at the same account. */
export async function answerList(
  sql: Sql,
  exchange: Exchange,
  { kind, query, owner }: { kind: "file" | "batch"; query: string; owner: Owner },
): Promise<void> {
  const given = new URLSearchParams(query);
  const limit = readLimit(given.get("limit"), LIMITS[kind]);
  const found = await listObjects(sql, owner, kind, {
    limit,
    after: given.get("after") ?? "",
    isAscending: given.get("order") === "asc",
    purpose: kind === "file" ? (given.get("purpose") ?? "") : "",
  });
  const data = found.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  const list = { object: "list", data, ...ends, has_more: found.length > limit };
  exchange.sendJson(200, Buffer.from(JSON.stringify(list)));
}

function readLimit(text: string | null, { usual, max }: { usual: number; max: number }): number {
  if (text === null || text === "") return usual;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  const message = `limit must be a whole number from 1 to ${max}`;
  throw new RelayError("invalid_value", message, { param: "limit" });
}
