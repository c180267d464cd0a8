import { desc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, totpFactors, users } from "@/db/schema";
import { loginByPassword } from "@/lib/auth/login";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { makeRoot } from "@/lib/user/rescue-commands";
import { run } from "@/server/commands/user";
import { call, createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
let printed = "";

beforeEach(() => {
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const self = (as: Person) => call(userApi, "GET /api/user/self", { as });
const stateOf = async (id: number) => (await api.database.db.select().from(users).where(eq(users.id, id)))[0];
const signIn = (username: string, password: string) =>
  loginByPassword(api.database.db, { username, password, ip: "198.51.100.9", human: true });

async function latestAudit(id: number) {
  const rows = await api.database.db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.subject, `user:${id}`))
    .orderBy(desc(auditEntries.id));
  return rows[0];
}

describe("weir user, the way back in when locked out", () => {
  test("reset-password makes a password that signs in, ends every session, and is audited as the command line", async () => {
    const user = await createPerson(api.database, "c1", 100);
    expect(await run({ generate: true }, ["reset-password", "C1"])).toBe(0);
    const password = /The password is (\S{16}) /.exec(printed)?.[1] ?? "";
    expect((await self(user)).status).toBe(401);
    await expect(signIn("c1", user.password)).rejects.toThrow("credentialsWrong");
    expect(await signIn("c1", password)).toMatchObject({ account: { id: user.id } });
    expect(await latestAudit(user.id)).toMatchObject({
      action: "user.update",
      actorKind: "command-line",
      actorId: null,
    });
    expect(JSON.stringify(await latestAudit(user.id))).not.toContain(password);
  });

  test("where passwords are switched off, reset-password says so, and switches them on when asked to", async () => {
    await createPerson(api.database, "c2", 100);
    await api.database.sql`insert into options (key, value) values ('PasswordLoginEnabled', 'false')`;
    await run({ generate: true }, ["reset-password", "c2"]);
    expect(printed).toContain("add --allow-passwords");
    await run({ generate: true, "allow-passwords": true }, ["reset-password", "c2"]);
    const password = [...printed.matchAll(/The password is (\S{16}) /g)].at(-1)?.[1] ?? "";
    expect(await signIn("c2", password)).toMatchObject({ account: { username: "c2" } });
  });

  test("disable-2fa removes the second factor of root too, and its sessions end", async () => {
    const user = await createPerson(api.database, "c3", 100);
    await api.database.db
      .insert(totpFactors)
      .values({ userId: user.id, secretCipher: seal("x"), enabledAt: 1, recoveryHashes: [] });
    expect(await signIn("c3", user.password)).toHaveProperty("ticket");
    await run({}, ["disable-2fa", "c3"]);
    expect(await signIn("c3", user.password)).toMatchObject({ account: { id: user.id } });
    expect((await self(user)).status).toBe(401);
  });

  test("unban lets root in again", async () => {
    const user = await createPerson(api.database, "c4", 100);
    await api.database.db.update(users).set({ status: 2 }).where(eq(users.id, user.id));
    await run({}, ["unban", `#${user.id}`]);
    expect(await stateOf(user.id)).toMatchObject({ status: 1, role: 100 });
  });

  test("make-root and unmake-root change the role, but never the last super admin who can sign in", async () => {
    const user = await createPerson(api.database, "c5", 1);
    await run({}, ["make-root", "c5"]);
    expect(await stateOf(user.id)).toMatchObject({ role: 100 });
    expect(await latestAudit(user.id)).toMatchObject({ action: "user.make-root", actorKind: "command-line" });
    await expect(run({}, ["make-root", "c5"])).rejects.toThrow("a super admin already");
    await api.database.sql`update users set role = 1 where role = 100 and id <> ${user.id} and id <> ${api.root.id}`;
    await api.database.sql`update users set status = 2 where id = ${api.root.id}`;
    await expect(run({}, ["unmake-root", "c5"])).rejects.toThrow("the last super admin");
    expect(await stateOf(user.id)).toMatchObject({ role: 100 });
    await api.database.sql`update users set status = 1 where id = ${api.root.id}`;
    const race = await Promise.allSettled([run({}, ["unmake-root", "c5"]), run({}, ["unmake-root", "root"])]);
    expect(race.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await api.database.sql`update users set role = 100 where id = ${api.root.id}`;
  });

  test("an unknown or deleted name changes nothing and is said plainly", async () => {
    const user = await createPerson(api.database, "c6", 1);
    await api.database.sql`update users set deleted_at = now() where id = ${user.id}`;
    await expect(run({ generate: true }, ["reset-password", "c6"])).rejects.toThrow("does not exist");
    await expect(run({}, ["make-root", "nobody"])).rejects.toThrow("does not exist");
  });

  test("list finds accounts and prints them for scripts too, without anything secret", async () => {
    const user = await createPerson(api.database, "c7", 10);
    await run({ search: "c7", json: true }, ["list"]);
    expect(JSON.parse(printed)).toEqual({
      total: 1,
      users: [{ id: user.id, username: "c7", email: "c7@weir.example", role: "admin", state: "enabled" }],
    });
  });

  test("nobody makes himself root from the console, not even root", async () => {
    const { id, username } = api.root;
    const actor = { type: "user", id, username, role: 100, group: "default", via: "session", proved: true } as const;
    const ctx: ServiceContext = { ...api.database, actor, clientIp: "" };
    await expect(makeRoot(ctx, api.alice.id)).rejects.toThrow("commandLineOnly");
    await expect(makeRoot({ ...ctx, actor: { type: "job", name: "x" } }, api.alice.id)).rejects.toThrow(
      "commandLineOnly",
    );
  });
});
