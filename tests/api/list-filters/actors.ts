import type { ServiceContext } from "@/lib/context";
import type { Page } from "@/lib/page";
import type { Person, setUpApi } from "../harness";
import type { Fields, Found } from "./proof";

export type Api = ReturnType<typeof setUpApi>;

/** The context that a query function of the console gets for a person. */
export function contextOf({ database }: Api, { id, username }: Person, role: number): ServiceContext {
  const actor = { type: "user", id, username, role, group: "default", via: "session" } as const;
  return { db: database.db, sql: database.sql, actor, clientIp: "" };
}

export const asUser = (api: Api) => contextOf(api, api.alice, 1);
/** Who has just confirmed may look for a key by any piece of it. */
export const asProved = (api: Api): ServiceContext => {
  const ctx = asUser(api);
  return ctx.actor.type === "user" ? { ...ctx, actor: { ...ctx.actor, proved: true } } : ctx;
};
export const asAdmin = (api: Api) => contextOf(api, api.admin, 10);
export const asRoot = (api: Api) => contextOf(api, api.root, 100);

/** The rows of a JSON lines export. Removes its entry from the audit log, which would appear in later readings. */
export async function rowsOfFile({ database }: Api, file: Promise<{ body: ReadableStream }>): Promise<Found> {
  const text = await new Response((await file).body).text();
  await database.sql`delete from audit_entries where action like '%.export'`;
  const lines = text.split("\n").filter((line) => line !== "");
  return { ids: lines.map((line) => JSON.parse(line).id) };
}

/** A page of a query function, by the ids of its rows. */
export function pageOf({ items, total }: Pick<Page<{ id: unknown }>, "items" | "total">): Found {
  return { ids: items.map(({ id }) => id), total, items: items as Fields[] };
}
