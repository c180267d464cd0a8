import { and, eq, isNull } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, knownPlaces, notifications, oneTimeSecrets, sessions, totpFactors, users } from "@/db/schema";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { sweepSignIns } from "@/lib/auth/sweep";
import {
  type Answer,
  type CallOptions,
  call,
  createPerson,
  PASSWORD,
  type Person,
  setUpApi,
  signInAs,
} from "./harness";

const api = setUpApi();
const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/604.1";

const user = (line: string, options: CallOptions = {}) => {
  const [method, path] = line.split(" ");
  return call(userApi, `${method} /api/user${path}`, options);
};
const self = (as: Person) => user("GET /self", { as });
const cookieOf = ({ headers }: Answer) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const login = (username: string, headers: Record<string, string> = {}) =>
  user("POST /login", { body: { username, password: PASSWORD }, headers });
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const wrongCodeOf = (secret: string) =>
  ["000000", "111111", "222222", "333333"].find(
    (code) => ![-2, -1, 0, 1, 2].some((at) => codeOf(secret, at) === code),
  ) ?? "";

/** Makes the last proof of identity of the account's sessions too old. */
async function letProofAge(person: Person): Promise<void> {
  await api.database.db.update(sessions).set({ confirmedAt: 1 }).where(eq(sessions.userId, person.id));
}

async function withTotp(name: string): Promise<{ person: Person; secret: string; recovery: string[] }> {
  const person = await createPerson(api.database, name, 1);
  const { secret } = (await user("POST /2fa/setup", { as: person })).json.data;
  const answer = await user("POST /2fa/enable", { as: person, body: { code: codeOf(secret) } });
  return { person, secret, recovery: answer.json.data.recovery_codes };
}

describe("sessions are rows", () => {
  test("each sign-in is a session of its own; signing out ends that one at once and no other (A184, A122)", async () => {
    const first = { ...api.alice, cookie: cookieOf(await login("alice")) };
    const second = { ...api.alice, cookie: cookieOf(await login("alice")) };
    expect(first.cookie).not.toBe(second.cookie);
    const out = await user("GET /logout", { as: first });
    expect(out.headers.get("set-cookie")).toMatch(/^session=; Path=\/; Max-Age=0/);
    expect([(await self(first)).status, (await self(second)).json.success]).toEqual([401, true]);
  });

  test("the list names device, address, method and the browser in use, and nothing secret", async () => {
    const person = await createPerson(api.database, "lister", 1);
    const cookie = cookieOf(await login("lister", { "user-agent": SAFARI, "x-forwarded-for": "203.0.113.7" }));
    const { data } = (await user("GET /session", { as: { ...person, cookie } })).json;
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({
      id: expect.any(String),
      current: true,
      method: "password",
      device: "Safari · iPhone",
      client_ip: "203.0.113.7",
      created_at: expect.any(Number),
      last_seen_at: expect.any(Number),
    });
    expect(data[1]).toMatchObject({ current: false, device: "?" });
  });

  test("the owner ends one other session, or all others, and stays signed in", async () => {
    const person = await createPerson(api.database, "ender", 1);
    const others = await Promise.all([1, 2, 3].map(() => signInAs(api.database, person.id)));
    const { data } = (await user("GET /session", { as: { ...person, cookie: others[0] ?? "" } })).json;
    await user(`DELETE /session?id=${data[0].id}`, { as: person });
    expect((await self({ ...person, cookie: others[0] ?? "" })).status).toBe(401);
    expect((await user("POST /session/revoke_others", { as: person })).json.data).toBe(2);
    const left = await Promise.all(others.map((cookie) => self({ ...person, cookie })));
    expect(left.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect((await self(person)).json.success).toBe(true);
  });

  test("nobody ends another's session, an ended one, or by nonsense", async () => {
    const { data } = (await user("GET /session", { as: api.bob })).json;
    for (const id of [data[0].id, "00000000-0000-0000-0000-000000000000", "x", "'; drop table sessions"]) {
      const answer = await user(`DELETE /session?id=${encodeURIComponent(id)}`, { as: api.alice });
      expect([answer.status, answer.json.message]).toEqual([200, "会话不存在或已结束"]);
    }
    expect((await self(api.bob)).json.success).toBe(true);
  });

  test("a session is over when its row is gone or has expired", async () => {
    const person = await createPerson(api.database, "expired", 1);
    const row = eq(sessions.userId, person.id);
    await api.database.db.update(sessions).set({ expiresAt: 1 }).where(row);
    expect((await self(person)).status).toBe(401);
    await sweepSignIns(api.database.sql);
    expect(await api.database.db.select().from(sessions).where(row)).toEqual([]);
    expect((await self(person)).status).toBe(401);
  });

  test("a cookie is good for its own account only", async () => {
    const [row] = await api.database.db.select().from(sessions).where(eq(sessions.userId, api.bob.id));
    const { encodeSession } = await import("@/lib/auth/session-token");
    const crossed = await encodeSession({ uid: api.alice.id, sv: 1, sid: row?.id ?? "" });
    expect((await self({ ...api.alice, cookie: `${SESSION_COOKIE}=${crossed}` })).status).toBe(401);
  });

  test("being seen is written at most once a minute", async () => {
    const person = await createPerson(api.database, "seen", 1);
    const row = eq(sessions.userId, person.id);
    const seen = async () => (await api.database.db.select().from(sessions).where(row))[0]?.lastSeenAt;
    const now = await seen();
    await self(person);
    expect(await seen()).toBe(now);
    await api.database.db.update(sessions).set({ lastSeenAt: 1_000 }).where(row);
    await self(person);
    expect(await seen()).toBeGreaterThan(1_000);
  });

  test("a change of password ends every session, in the list too; the one who changed it goes on", async () => {
    const person = await createPerson(api.database, "changer", 1);
    await signInAs(api.database, person.id);
    const answer = await user("PUT /self", { as: person, body: { password: "another-one" } });
    const { data } = (await user("GET /session", { as: { ...person, cookie: cookieOf(answer) } })).json;
    expect(data.map(({ current }: { current: boolean }) => current)).toEqual([true]);
  });
});

describe("two-factor authentication", () => {
  test("it is on only after a code from the authenticator, and ten recovery codes are shown once", async () => {
    const person = await createPerson(api.database, "t-setup", 1);
    const setup = (await user("POST /2fa/setup", { as: person })).json.data;
    expect(setup.uri).toMatch(/^otpauth:\/\/totp\/.*t-setup\?.*secret=[A-Z2-7]{32}/);
    expect(setup.qr_code).toMatch(/^data:image\/svg\+xml;base64,/);
    expect((await login("t-setup")).json.data.username).toBe("t-setup");
    const wrong = await user("POST /2fa/enable", { as: person, body: { code: wrongCodeOf(setup.secret) } });
    expect(wrong.json).toMatchObject({ success: false, message: "验证码错误、已过期或已被使用" });
    const right = await user("POST /2fa/enable", { as: person, body: { code: codeOf(setup.secret) } });
    expect(new Set(right.json.data.recovery_codes).size).toBe(10);
    expect((await user("GET /2fa", { as: person })).json.data).toMatchObject({ totp_enabled: true, recovery_left: 10 });
    const [row] = await api.database.db.select().from(totpFactors).where(eq(totpFactors.userId, person.id));
    expect(JSON.stringify(row)).not.toContain(setup.secret);
    for (const code of right.json.data.recovery_codes) expect(JSON.stringify(row)).not.toContain(code);
    expect((await user("POST /2fa/setup", { as: person })).json.message).toBe("两步验证已启用");
  });

  test("the right password gives a ticket and no session; ticket and code give the session", async () => {
    const { person, secret } = await withTotp("t-login");
    const first = await login("t-login");
    expect(first.json).toEqual({
      success: false,
      message: "请输入身份验证器的验证码以完成登录",
      data: { require_2fa: true, ticket: expect.any(String), expires_in: 300, methods: ["totp", "recovery"] },
    });
    expect(first.headers.get("set-cookie")).toBeNull();
    const { ticket } = first.json.data;
    const asCookie = { ...person, cookie: `session=${ticket}` };
    expect((await self(asCookie)).status).toBe(401);
    const second = await user("POST /login/2fa", { body: { ticket, code: codeOf(secret, 1) } });
    expect(second.json.data).toMatchObject({ id: person.id, username: "t-login" });
    expect((await self({ ...person, cookie: cookieOf(second) })).json.success).toBe(true);
    const again = await user("POST /login/2fa", { body: { ticket, code: codeOf(secret, 1) } });
    expect(again.json).toMatchObject({ success: false, message: "本次登录已过期，请重新输入用户名和密码" });
  });

  test("a program sends the code within the login call: a right one signs in, a wrong one does not", async () => {
    const { person, secret } = await withTotp("t-one-call");
    const signIn = (code: string) =>
      user("POST /login", { body: { username: "t-one-call", password: PASSWORD, code } });
    const wrong = await signIn(wrongCodeOf(secret));
    expect([wrong.json.success, wrong.headers.get("set-cookie")]).toEqual([false, null]);
    expect((await signIn("")).json.data).toMatchObject({ require_2fa: true });
    const right = await signIn(codeOf(secret, 1));
    expect(right.json).toMatchObject({ success: true, data: { id: person.id } });
    expect((await self({ ...person, cookie: cookieOf(right) })).json.success).toBe(true);
    expect((await signIn(codeOf(secret, 1))).json.success).toBe(false);
  });

  test("a code is good once, also for two at the same moment", async () => {
    const { secret } = await withTotp("t-once");
    const tickets = await Promise.all([1, 2, 3].map(async () => (await login("t-once")).json.data.ticket));
    const code = codeOf(secret, 1);
    const answers = await Promise.all(tickets.map((ticket) => user("POST /login/2fa", { body: { ticket, code } })));
    expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
    const { ticket } = (await login("t-once")).json.data;
    expect((await user("POST /login/2fa", { body: { ticket, code: codeOf(secret) } })).json.success).toBe(false);
  });

  test("a recovery code stands in once, however it is typed", async () => {
    const { recovery, person } = await withTotp("t-recover");
    const code = ` ${recovery[3]?.toUpperCase().replaceAll("-", " ")} `;
    const use = async () => {
      const { ticket } = (await login("t-recover")).json.data;
      return (await user("POST /login/2fa", { body: { ticket, code } })).json.success;
    };
    expect([await use(), await use()]).toEqual([true, false]);
    expect((await user("GET /2fa", { as: person })).json.data.recovery_left).toBe(9);
  });

  test("new recovery codes replace the old ones", async () => {
    const { person, recovery } = await withTotp("t-renew");
    const renewed = (await user("POST /2fa/recovery_codes", { as: person })).json.data.recovery_codes;
    const use = async (code: string) => {
      const { ticket } = (await login("t-renew")).json.data;
      return (await user("POST /login/2fa", { body: { ticket, code } })).json.success;
    };
    expect([await use(recovery[0] ?? ""), await use(renewed[0])]).toEqual([false, true]);
  });

  test("ten wrong codes in a quarter of an hour close the second step, side by side too; another account's stays open", async () => {
    const { secret } = await withTotp("t-guess");
    const tickets = await Promise.all([1, 2, 3].map(async () => (await login("t-guess")).json.data.ticket));
    const code = wrongCodeOf(secret);
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, i) => user("POST /login/2fa", { body: { ticket: tickets[i % 3], code } })),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    const right = await user("POST /login/2fa", { body: { ticket: tickets[0], code: codeOf(secret, 1) } });
    expect(right.status).toBe(429);
    const other = await withTotp("t-calm");
    const { ticket } = (await login("t-calm")).json.data;
    const calm = await user("POST /login/2fa", { body: { ticket, code: codeOf(other.secret, 1) } });
    expect(calm.json.success).toBe(true);
  });

  test("a ticket dies with a change of password, with a ban, after five minutes, and when altered", async () => {
    const { person, secret } = await withTotp("t-ticket");
    const body = async () => ({ ticket: (await login("t-ticket")).json.data.ticket, code: codeOf(secret, 1) });
    const bump = (set: object) => api.database.db.update(users).set(set).where(eq(users.id, person.id));
    const refused = async (given: { ticket: string; code: string }) =>
      expect((await user("POST /login/2fa", { body: given })).json.success).toBe(false);

    const changed = await body();
    await bump({ sessionVersion: 2 });
    await refused(changed);
    const banned = await body();
    await bump({ status: 2 });
    await refused(banned);
    await bump({ status: 1 });
    const late = await body();
    await api.database.db.update(oneTimeSecrets).set({ expiresAt: 1 }).where(eq(oneTimeSecrets.kind, "second-factor"));
    await refused(late);
    const altered = await body();
    const [, ...rest] = altered.ticket.split(".");
    await refused({ ...altered, ticket: [api.alice.id, ...rest].join(".") });
    expect((await user("POST /login/2fa", { body: altered })).json.success).toBe(true);
  });

  test.each([
    [{}],
    [{ ticket: "x", code: "123456" }],
    [{ ticket: 1, code: 2 }],
    [{ ticket: "x".repeat(200), code: "123456" }],
    [{ ticket: "1.1.00000000-0000-0000-0000-000000000000.".padEnd(90, "A"), code: "'" }],
  ])("nonsense in the second step is refused in words: %j", async (body) => {
    const answer = await user("POST /login/2fa", { body });
    expect([answer.status, answer.json.success, answer.headers.get("set-cookie")]).toEqual([200, false, null]);
    expect(answer.json.message).not.toBe("");
  });

  test("turning it off makes the password enough again, and its owner is told of both", async () => {
    const { person } = await withTotp("t-off");
    expect((await user("POST /2fa/disable", { as: person })).json.success).toBe(true);
    expect((await login("t-off")).json.data.username).toBe("t-off");
    expect((await user("POST /2fa/disable", { as: person })).json.message).toBe("两步验证尚未启用");
    const told = await api.database.db
      .select()
      .from(notifications)
      .where(and(eq(notifications.userId, person.id), eq(notifications.event, "second_factor_changed")));
    expect(told).toHaveLength(2);
  });

  test("an administrator takes it from an account below, never from one at the same level", async () => {
    const { person } = await withTotp("t-lost");
    const peer = await createPerson(api.database, "t-peer", 10);
    const reset = (as: Person, id: number) => user(`DELETE /${id}/2fa`, { as });
    expect((await reset(api.alice, person.id)).json.success).toBe(false);
    expect((await reset(peer, api.admin.id)).json.success).toBe(false);
    expect((await reset(api.admin, 999_999)).json.message).toBe("用户不存在");
    expect((await reset(api.admin, person.id)).json.success).toBe(true);
    expect((await login("t-lost")).json.data.username).toBe("t-lost");
    const entries = await api.database.db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.action, "user.factors-reset"), eq(auditEntries.actorId, api.admin.id)));
    expect(entries).toMatchObject([{ subject: `user:${person.id}`, before: { totp: true, passkeys: [] } }]);
  });
});

describe("a fresh proof before what is delicate", () => {
  const guarded = [
    "POST /2fa/setup",
    "POST /2fa/disable",
    "POST /2fa/recovery_codes",
    "POST /passkey/register/begin",
    "DELETE /passkey?id=abc",
  ];

  test.each(guarded)("%s asks for one after ten minutes, by a code of its own", async (line) => {
    const person = await createPerson(api.database, `p${guarded.indexOf(line)}`, 1);
    await letProofAge(person);
    const headers = { "x-forwarded-host": "weir.example" };
    const answer = await user(line, { as: person, headers });
    expect([answer.status, answer.json]).toEqual([
      200,
      { success: false, message: expect.stringContaining("X-Confirm-Password"), code: "step_up_required" },
    ]);
    expect((await user("POST /confirm", { as: person, body: { password: PASSWORD } })).json.success).toBe(true);
    expect((await user(line, { as: person, headers })).json.code).toBeUndefined();
  });

  test.each(guarded)("%s is not for an access token by itself", async (line) => {
    const answer = await user(line, { as: api.alice, by: "token", headers: { "x-forwarded-host": "weir.example" } });
    expect([answer.json.success, answer.json.code]).toEqual([false, "step_up_required"]);
  });

  test("a wrong password confirms nothing, and guesses are limited like those of signing in", async () => {
    const person = await createPerson(api.database, "p-guess", 1);
    await letProofAge(person);
    const confirm = (password: string) => user("POST /confirm", { as: person, body: { password } });
    expect((await confirm("wrong-one")).json.message).toBe("密码错误");
    const answers = await Promise.all(Array.from({ length: 12 }, () => confirm("wrong-one")));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect((await confirm(PASSWORD)).status).toBe(429);
    expect((await user("POST /2fa/setup", { as: person })).json.code).toBe("step_up_required");
  });

  test("a code of the authenticator confirms; the proof is of this browser only", async () => {
    const { person, secret } = await withTotp("p-code");
    const other = { ...person, cookie: await signInAs(api.database, person.id) };
    await letProofAge(person);
    expect((await user("GET /confirm", { as: person })).json.data).toEqual({ methods: ["password", "totp"] });
    const answer = await user("POST /confirm", { as: person, body: { code: codeOf(secret, 1) } });
    expect(answer.json.success).toBe(true);
    expect((await user("POST /2fa/recovery_codes", { as: other })).json.code).toBe("step_up_required");
    expect((await user("POST /2fa/recovery_codes", { as: person })).json.success).toBe(true);
  });

  test("an account with neither password nor factor has nothing to confirm by", async () => {
    const person = await createPerson(api.database, "p-outside", 1);
    await api.database.db.update(users).set({ passwordHash: null }).where(eq(users.id, person.id));
    expect((await user("GET /confirm", { as: person })).json.data).toEqual({ methods: [] });
    expect((await user("POST /confirm", { as: person, body: { password: "" } })).json.success).toBe(false);
    expect((await user("POST /confirm", { as: person, body: {} })).json.message).toBe("请提供密码或验证码");
  });
});

describe("a sign-in from a new place", () => {
  const told = async (person: Person) =>
    api.database.db
      .select({ params: notifications.params })
      .from(notifications)
      .where(and(eq(notifications.userId, person.id), eq(notifications.event, "sign_in_new_place")));

  test("is told once; the first place of an account and a known one are no news", async () => {
    const person = await createPerson(api.database, "traveller", 1);
    await api.database.db.delete(knownPlaces).where(eq(knownPlaces.userId, person.id));
    const at = (ip: string, agent: string) => login("traveller", { "x-forwarded-for": ip, "user-agent": agent });
    await at("203.0.113.4", CHROME);
    await at("203.0.113.200", CHROME);
    expect(await told(person)).toEqual([]);
    await at("198.51.100.4", CHROME);
    await at("198.51.100.5", CHROME);
    expect(await told(person)).toEqual([
      { params: { clientIp: "198.51.100.4", device: "Chrome · Windows", at: expect.any(Number) } },
    ]);
    await at("203.0.113.4", SAFARI);
    await at("2001:db8:1::1", SAFARI);
    await at("2001:db8:1:ffff::2", SAFARI);
    expect(await told(person)).toHaveLength(3);
  });

  test("places are kept without address or browser", async () => {
    const rows = await api.database.db.select().from(knownPlaces);
    expect(rows.every(({ placeHash }) => /^[0-9a-f]{64}$/.test(placeHash))).toBe(true);
  });
});

test("a banned or deleted account gets no session", async () => {
  const person = await createPerson(api.database, "nobody", 1);
  await api.database.db.update(users).set({ status: 2 }).where(eq(users.id, person.id));
  await expect(signInAs(api.database, person.id)).rejects.toThrow("userBanned");
  await api.database.db.update(users).set({ status: 1, deletedAt: new Date() }).where(eq(users.id, person.id));
  await expect(signInAs(api.database, person.id)).rejects.toThrow("userNotFound");
  const live = await api.database.db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, person.id), isNull(sessions.revokedAt)));
  expect(live).toHaveLength(1);
});
