import { beforeAll, expect, test } from "vitest";
import { GET as auditExport } from "@/app/(console)/audit/export/route";
import { GET as channelExport } from "@/app/(console)/channel/export/route";
import { GET as userExport } from "@/app/(console)/user/export/route";
import { auditEntries, channels, tokens, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { getUserDetail } from "@/lib/user/detail-queries";
import { endUserSessions } from "@/lib/user/session-commands";
import { type Person, setUpApi, signInAs } from "./harness";

const api = setUpApi();
type Route = (request: Request) => Promise<Response>;

function get(route: Route, as: Person | null, query: string): Promise<Response> {
  const headers = { ...(as ? { cookie: as.cookie } : {}), "x-forwarded-for": "198.51.100.7", "accept-language": "en" };
  return route(new Request(`http://weir.example/export?${query}`, { headers }));
}

const linesOf = async (response: Response) =>
  (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  const row = { type: 1, keyCipher: "sealed", keyFingerprint: "f", models: "gpt-4o", group: "default" };
  await api.database.db.insert(channels).values([
    { ...row, name: "=cmd()", tag: "east" },
    { ...row, name: "plain", status: 2 },
  ]);
});

test("channels are exported as filtered or chosen, never with a key, and the audit log says so (B027, B034)", async () => {
  const { admin, database } = api;
  const csv = await get(channelExport, admin, "format=csv");
  expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename="channels-\d{4}-\d\d-\d\d\.csv"$/);
  const text = await csv.text();
  expect(text).toContain("'=cmd()");
  expect(text).not.toContain("sealed");
  const disabled = await linesOf(await get(channelExport, admin, "format=jsonl&status=2"));
  expect(disabled.map(({ name }) => name)).toEqual(["plain"]);
  const [first] = await database.db.select({ id: channels.id }).from(channels);
  const chosen = await linesOf(await get(channelExport, admin, `format=jsonl&ids=${first?.id}`));
  expect(chosen).toHaveLength(1);
  for (const query of ["format=xml", "format=csv&ids=", "format=csv&ids=1,x", "format=csv&ids=-1"]) {
    expect((await get(channelExport, admin, query)).status).toBe(400);
  }
  const actions = (await database.db.select().from(auditEntries)).map(({ action }) => action);
  expect(actions.filter((action) => action === "channel.export")).toHaveLength(3);
});

test("accounts are exported as the list shows them: addresses of peers and superiors stay empty (B213)", async () => {
  const { admin, root } = api;
  const rows = await linesOf(await get(userExport, admin, "format=jsonl"));
  expect(rows.find(({ username }) => username === "alice")?.email).toBe("alice@weir.example");
  expect(rows.find(({ username }) => username === "root")?.email).toBe("");
  const all = await linesOf(await get(userExport, root, "format=jsonl&role=100"));
  expect(all.map(({ email }) => email)).toEqual(["root@weir.example"]);
  expect(JSON.stringify(rows)).not.toMatch(/password|access-/i);
});

test("exports are refused to those who may not see the list (B007, B012)", async () => {
  const { alice, admin } = api;
  for (const route of [channelExport, userExport, auditExport]) {
    expect((await get(route, null, "format=csv")).status).toBe(401);
    expect((await get(route, alice, "format=csv")).status).toBe(403);
  }
  expect((await get(auditExport, admin, "format=csv")).status).toBe(403);
  const rows = await linesOf(await get(auditExport, api.root, "format=jsonl&action=channel.export"));
  expect(rows.every(({ action }) => action === "channel.export")).toBe(true);
});

test("an account's page is for those above it, and ends all of its sessions at once (A184, B213)", async () => {
  const { database, admin, alice, root } = api;
  const as = (person: Person, role: number): ServiceContext => ({
    db: database.db,
    sql: database.sql,
    actor: { type: "user", id: person.id, username: person.username, role, group: "default" } as never,
    clientIp: "",
  });
  const keyHash = sha256Hex("alice-token");
  await database.db
    .insert(tokens)
    .values({ userId: alice.id, keyHash, keyCipher: "sealed", keyHint: "abcd…wxyz", name: "laptop" });
  await signInAs(database, alice.id, { userAgent: "Mozilla/5.0 Firefox/130.0" });
  const detail = await getUserDetail(as(admin, 10), alice.id);
  expect(detail.tokens.map(({ name }) => name)).toEqual(["laptop"]);
  expect(detail.sessions.some(({ device }) => device.browser === "Firefox")).toBe(true);
  expect(JSON.stringify(detail)).not.toContain("sealed");
  await expect(getUserDetail(as(admin, 10), root.id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(getUserDetail(as(alice, 1), alice.id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(endUserSessions(as(admin, 10), root.id)).rejects.toMatchObject({ code: "forbidden" });
  const before = (await database.db.select().from(users)).find(({ id }) => id === alice.id)?.sessionVersion;
  await endUserSessions(as(admin, 10), alice.id);
  const after = (await database.db.select().from(users)).find(({ id }) => id === alice.id)?.sessionVersion;
  expect([before, after]).toEqual([before, (before ?? 0) + 1]);
  expect((await getUserDetail(as(admin, 10), alice.id)).sessions).toEqual([]);
});
