import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, users } from "@/db/schema";
import { call, createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
const self = (as: Person, by: "cookie" | "token" = "cookie") => call(userApi, "GET /api/user/self", { as, by });
const manage = (as: Person, id: number, action: string) =>
  call(userApi, "POST /api/user/manage", { as, body: { id, action } });

describe("sessions end at once", () => {
  test("when the user is banned, and stay ended when admitted again", async () => {
    const user = await createPerson(api.database, "u1", 1);
    expect((await self(user)).json.success).toBe(true);
    expect((await manage(api.admin, user.id, "disable")).json.data).toEqual({ role: 1, status: 2 });
    expect((await self(user)).json.success).toBe(false);
    await manage(api.admin, user.id, "enable");
    expect((await self(user)).status).toBe(401);
  });

  test("when the user is demoted", async () => {
    const user = await createPerson(api.database, "u2", 10);
    expect((await manage(api.root, user.id, "demote")).json.data).toEqual({ role: 1, status: 1 });
    expect((await self(user)).status).toBe(401);
    expect((await self(user, "token")).json.success).toBe(false);
  });

  test("when the password changes; the one who changed it goes on with a new cookie", async () => {
    const user = await createPerson(api.database, "u3", 1);
    const answer = await call(userApi, "PUT /api/user/self", { as: user, body: { password: "another-one" } });
    expect(answer.json.success).toBe(true);
    expect((await self(user)).status).toBe(401);
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect((await self({ ...user, cookie })).json.success).toBe(true);
  });

  test("when the account is deleted, by its owner or by an administrator; the access token too", async () => {
    const own = await createPerson(api.database, "u4", 1);
    await call(userApi, "DELETE /api/user/self", { as: own });
    const other = await createPerson(api.database, "u5", 1);
    await manage(api.admin, other.id, "delete");
    for (const user of [own, other]) {
      expect((await self(user)).status).toBe(401);
      expect((await self(user, "token")).json.success).toBe(false);
    }
  });
});

describe("own account", () => {
  test("a new access token replaces the old one and is stored hashed (A180)", async () => {
    const user = await createPerson(api.database, "u6", 1);
    const { data: first } = (await call(userApi, "GET /api/user/token", { as: user })).json;
    const { data: second } = (await call(userApi, "GET /api/user/token", { as: user })).json;
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(second).not.toBe(first);
    expect((await self({ ...user, accessToken: first }, "token")).json.success).toBe(false);
    expect((await self({ ...user, accessToken: second }, "token")).json.success).toBe(true);
    const [row] = await api.database.db.select().from(users).where(eq(users.id, user.id));
    expect(JSON.stringify(row)).not.toContain(second);
  });

  test("no password, hash or access token in any answer (A092)", async () => {
    const { data } = (await self(api.alice)).json;
    expect(data.password).toBe("");
    expect(JSON.stringify(data)).not.toMatch(/scrypt|access_token|session_version/);
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining(["aff_history_quota", "DeletedAt", "linux_do_id", "setting"]),
    );
  });

  test("a whole row sent back changes only what may be changed", async () => {
    const before = (await self(api.bob)).json.data;
    const row = { ...before, display_name: "Bob", role: 100, quota: 999, status: 2, group: "vip", unknown: { a: 1 } };
    expect((await call(userApi, "PUT /api/user/self", { as: api.bob, body: row })).json.success).toBe(true);
    expect((await self(api.bob)).json.data).toEqual({ ...before, display_name: "Bob" });
  });

  test.each(["short", "x".repeat(21)])("a password of the wrong length is refused: %s", async (password) => {
    const answer = await call(userApi, "PUT /api/user/self", { as: api.bob, body: { password } });
    expect(answer.json).toMatchObject({ success: false, message: "密码长度必须在 8 到 20 个字符之间" });
  });

  test("a given current password must be right; a taken name is refused", async () => {
    const put = (body: object) => call(userApi, "PUT /api/user/self", { as: api.bob, body });
    expect((await put({ password: "another-one", original_password: "no" })).json.success).toBe(false);
    expect((await put({ username: "ALICE" })).json.message).toBe("用户名已被使用");
  });

  test("usable groups for visitors and members", async () => {
    const open = await call(userApi, "GET /api/user/groups");
    const own = await call(userApi, "GET /api/user/self/groups", { as: api.alice });
    expect(open.json.data).toEqual({ default: { ratio: 1, desc: "默认分组" }, vip: { ratio: 1, desc: "vip分组" } });
    expect(own.json.data).toEqual(open.json.data);
    const vip = await createPerson(api.database, "u7", 1);
    await api.database.db.update(users).set({ group: "svip" }).where(eq(users.id, vip.id));
    expect((await call(userApi, "GET /api/user/self/groups", { as: vip })).json.data.svip).toEqual({
      ratio: 1,
      desc: "svip",
    });
  });
});

describe("limits of rank (B213, B214, B215)", () => {
  test("nobody touches the same or a higher level, root is untouchable, only root promotes", async () => {
    const peer = await createPerson(api.database, "u8", 10);
    const user = await createPerson(api.database, "u9", 1);
    const refused = [
      await manage(api.admin, peer.id, "disable"),
      await manage(api.admin, api.root.id, "disable"),
      await manage(api.root, api.root.id, "demote"),
      await manage(api.admin, user.id, "promote"),
      await manage(api.root, user.id, "demote"),
      await manage(api.root, user.id, "explode"),
      await manage(api.root, 999_999, "disable"),
    ];
    expect(refused.map(({ status, json }) => [status, json.success])).toEqual(Array(7).fill([200, false]));
    expect((await manage(api.root, user.id, "promote")).json.data).toEqual({ role: 10, status: 1 });
  });

  test("root cannot delete itself", async () => {
    expect((await call(userApi, "DELETE /api/user/self", { as: api.root })).json.success).toBe(false);
  });
});

describe("options (contract §1.8, §3)", () => {
  const put = (key: string, value: unknown) =>
    call(optionApi, "PUT /api/option/", { as: api.root, body: { key, value } });
  const read = async () => {
    const { data } = (await call(optionApi, "GET /api/option/", { as: api.root })).json;
    return new Map<string, string>(data.map(({ key, value }: { key: string; value: string }) => [key, value]));
  };

  test("secrets are written, never read back, sealed at rest, absent from the audit; empty means unchanged", async () => {
    expect((await put("SMTPToken", "swordfish")).json.success).toBe(true);
    expect((await put("oidc.client_secret", "swordfish")).json.success).toBe(true);
    const options = await read();
    expect([...options.keys()].filter((key) => /Secret|secret|SMTPToken|EpayKey/.test(key))).toEqual([]);
    const rows = await api.database.sql`select value from options where key = 'SMTPToken'`;
    expect((await put("SMTPToken", "")).json.success).toBe(true);
    expect(await api.database.sql`select value from options where key = 'SMTPToken'`).toEqual(rows);
    expect(JSON.stringify([rows, await api.database.db.select().from(auditEntries)])).not.toContain("swordfish");
  });

  test("booleans and numbers may come as they are; values come back as text", async () => {
    await put("DrawingEnabled", false);
    await put("ServerAddress", "https://weir.example");
    await put("Price", 6.5);
    const options = await read();
    expect([options.get("DrawingEnabled"), options.get("Price")]).toEqual(["false", "6.5"]);
  });

  test("unknown keys, bad JSON and unmet preconditions are refused and change nothing", async () => {
    const before = await read();
    for (const [key, value] of [
      ["Nonsense", "1"],
      ["GroupRatio", "{"],
      ["GroupRatio", '{"default":-1}'],
      ["GitHubOAuthEnabled", true],
    ] as const) {
      const answer = await put(key, value);
      expect([answer.status, answer.json.success], key).toEqual([200, false]);
    }
    expect(await read()).toEqual(before);
  });

  test("model ratios go back to the built-in ones", async () => {
    await put("ModelRatio", '{"gpt-4o":9}');
    await call(optionApi, "POST /api/option/rest_model_ratio", { as: api.root });
    expect(JSON.parse((await read()).get("ModelRatio") ?? "")["gpt-4o"]).toBe(1.25);
  });
});
