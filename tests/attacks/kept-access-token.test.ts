// A thief copied a system access token before its owner, or an administrator, noticed. Whatever the owner or the
// administrator does to lock the account must end that token together with the sessions.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { issueSecret } from "@/lib/auth/one-time-secret/commands";
import { endUserSessions } from "@/lib/user/session-commands";
import { fromElsewhere } from "../api/account-harness";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
let count = 0;

const manage = (action: string) => (owner: Person) =>
  call(userApi, "POST /api/user/manage", { as: api.root, body: { id: owner.id, action } });

const lockings: [string, (owner: Person) => Promise<unknown>, number?][] = [
  ["a new password", (owner) => call(userApi, "PUT /api/user/self", { as: owner, body: { password: "another-one" } })],
  ["a password reset by mail", reset],
  [
    "a new password from an administrator",
    (owner) => call(userApi, "PUT /api/user/", { as: api.root, body: { id: owner.id, password: "another-one" } }),
  ],
  ["a ban that is lifted again", async (owner) => [await manage("disable")(owner), await manage("enable")(owner)]],
  ["a promotion", manage("promote")],
  ["a demotion", manage("demote"), 10],
  ["the end of all sessions by an administrator", endSessions],
  ["deregistration", (owner) => call(userApi, "DELETE /api/user/self", { as: owner })],
  ["erasure", (owner) => call(userApi, `DELETE /api/user/${owner.id}`, { as: api.root })],
];

async function reset(owner: Person): Promise<unknown> {
  const email = `${owner.username}@weir.example`;
  const token = randomUUID();
  await issueSecret(api.database.db, { kind: "password-reset", subject: email, secret: token, lifetimeSeconds: 60 });
  return call(userApi, "POST /api/user/reset", { body: { email, token }, headers: fromElsewhere() });
}

async function endSessions(owner: Person): Promise<void> {
  const { db, sql } = api.database;
  await endUserSessions({ db, sql, actor: { type: "job", name: "test" }, clientIp: "" }, owner.id);
}

describe("a copied access token ends with", () => {
  test.each(lockings)("%s", async (_name, lock, role = 1) => {
    const owner = await createPerson(api.database, `k${++count}`, role);
    const self = (by: "token" | "cookie") => call(userApi, "GET /api/user/self", { as: owner, by });
    expect((await self("token")).json.success).toBe(true);
    await lock(owner);
    expect((await self("token")).json.success).toBe(false);
    expect((await self("cookie")).json.success).toBe(false);
  });
});
