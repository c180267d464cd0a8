// Anyone guesses at an account's password or second factor: from one address, from a whole IPv6 network, from hundreds of
// addresses at once. The guesses must stay few, and the owner must get in all the same from where they usually sign in.
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { sweepSignIns } from "@/lib/auth/sweep";
import { type FakeTurnstile, startFakeTurnstile } from "@/lib/testing/fake-turnstile";
import { setOptions } from "../api/account-harness";
import { type Answer, call, createPerson, PASSWORD, type Person, setUpApi, signInAs } from "../api/harness";

const api = setUpApi();
const HOME = "198.51.100.1";
const WRONG = "用户名或密码错误，或用户已被封禁";

const from = (address: string) => ({ "x-forwarded-for": address });
const login = (username: string, password: string, address: string, human = "") =>
  call(userApi, `POST /api/user/login?turnstile=${human}`, { body: { username, password }, headers: from(address) });
const confirm = (as: Person, password: string, address: string) =>
  call(userApi, "POST /api/user/confirm", { as, body: { password }, headers: from(address) });

/** An address per number, each in another IPv6 network of a customer. */
const elsewhere = (index: number) => `2001:db8:${index.toString(16)}::1`;
/** Guesses from that many addresses at the same time; the number that reached the password. */
async function guessFromEverywhere(username: string, addresses: number, offset = 0, human = (_index: number) => "") {
  const answers = await Promise.all(
    Array.from({ length: addresses }, (_, i) => login(username, "wrong-one", elsewhere(offset + i), human(i))),
  );
  const refused = answers.filter(({ status }) => status === 429).length;
  const tried = answers.filter(({ json }) => json?.message === WRONG).length;
  expect(refused + tried).toBe(addresses);
  return tried;
}

describe("guesses at a password", () => {
  test("from hundreds of addresses: 25 in the first minute, and the owner gets in from a known place", async () => {
    await createPerson(api.database, "everywhere", 1);
    expect(await guessFromEverywhere("everywhere", 200)).toBeLessThanOrEqual(25);
    expect((await login("everywhere", PASSWORD, HOME)).json.success).toBe(true);
    const stranger = await login("everywhere", PASSWORD, elsewhere(900));
    expect([stranger.status, stranger.json.message]).toEqual([429, "登录尝试次数过多，请在 1 分钟后重试"]);
  });

  test("afterwards five a minute, whoever comes; the owner's own success gives a guesser nothing back", async () => {
    await createPerson(api.database, "trickle", 1);
    expect(await guessFromEverywhere("trickle", 20)).toBe(20);
    await login("trickle", PASSWORD, HOME);
    expect(await guessFromEverywhere("trickle", 50, 100)).toBe(5);
    expect(await guessFromEverywhere("trickle", 50, 200)).toBe(0);
    await api.database.sql`update rate_counters set window_start = window_start - 61 where key like 'login:trickle:%'`;
    expect(await guessFromEverywhere("trickle", 50, 300)).toBe(5);
  });

  test("one address is refused after ten, and its refused attempts use up nothing of what others have", async () => {
    await createPerson(api.database, "hammered", 1);
    for (let i = 0; i < 35; i++) await login("hammered", "wrong-one", "203.0.113.7");
    expect((await login("hammered", PASSWORD, "203.0.113.7")).status).toBe(429);
    expect((await login("hammered", PASSWORD, "203.0.113.8")).json.success).toBe(true);
  });

  test("the addresses of one IPv6 network count as one", async () => {
    await createPerson(api.database, "v6", 1);
    const guess = (i: number) => login("v6", "wrong-one", `2001:db8:ffff:1::${i.toString(16)}`);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => guess(i + 1)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const many = await Promise.all(
      Array.from({ length: 60 }, (_, i) => login(`ghost-${i}`, "wrong-one", `2001:db8:ffff:2::${i.toString(16)}`)),
    );
    expect(many.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test("an account that does not exist is throttled like one that does", async () => {
    expect(await guessFromEverywhere("nobody-at-all", 60)).toBeLessThanOrEqual(25);
  });

  test("a place stays known when its session was ended, for thirty days", async () => {
    const person = await createPerson(api.database, "leaver", 1);
    await call(userApi, "GET /api/user/logout", { as: person });
    await api.database.sql`update sessions set revoked_at = revoked_at - 172800 where user_id = ${person.id}`;
    await sweepSignIns(api.database.sql);
    await guessFromEverywhere("leaver", 60);
    expect((await login("leaver", PASSWORD, HOME)).json.success).toBe(true);
    await api.database.sql`update sessions set last_seen_at = last_seen_at - 2592001 where user_id = ${person.id}`;
    expect((await login("leaver", PASSWORD, HOME)).status).toBe(429);
  });
});

describe("with the human check switched on", () => {
  let turnstile: FakeTurnstile;
  beforeAll(async () => {
    turnstile = await startFakeTurnstile();
    process.env.WEIR_TURNSTILE_URL = turnstile.url;
    await setOptions(api.database, {
      TurnstileSiteKey: "site",
      TurnstileSecretKey: "secret",
      TurnstileCheckEnabled: true,
    });
  });
  afterAll(async () => {
    await setOptions(api.database, { TurnstileCheckEnabled: false });
    await turnstile.stop();
  });

  test("who passed it gets on while others guess; even so the guesses are bounded", async () => {
    await createPerson(api.database, "checked", 1);
    expect(await guessFromEverywhere("checked", 25, 0, (i) => `good-a${i}`)).toBe(25);
    expect((await login("checked", PASSWORD, elsewhere(800), "good-owner")).json.success).toBe(true);
    expect(await guessFromEverywhere("checked", 60, 100, (i) => `good-b${i}`)).toBeLessThanOrEqual(20);
  });
});

describe("guesses at a proof of identity with a stolen cookie", () => {
  test("ten from the thief's address lock nobody but the thief out", async () => {
    const person = await createPerson(api.database, "robbed", 1);
    const answers: Answer[] = [];
    for (let i = 0; i < 12; i++) answers.push(await confirm(person, "wrong-one", "203.0.113.50"));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429]);
    expect((await confirm(person, PASSWORD, HOME)).json.success).toBe(true);
    expect((await login("robbed", PASSWORD, HOME)).json.success).toBe(true);
  });

  test("codes of the second factor: strangers have ten together, the owner's place has its own", async () => {
    const person = await createPerson(api.database, "factor", 1);
    const { secret } = (await call(userApi, "POST /api/user/2fa/setup", { as: person })).json.data;
    const code = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    await call(userApi, "POST /api/user/2fa/enable", { as: person, body: { code: code(0) }, headers: from(HOME) });
    const second = async (given: string, address: string) => {
      const { ticket } = (await login("factor", PASSWORD, address)).json.data;
      const body = { ticket, code: given };
      return call(userApi, "POST /api/user/login/2fa", { body, headers: from(address) });
    };
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) statuses.push((await second("000000x", elsewhere(i))).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect((await second(code(1), HOME)).json.success).toBe(true);
  });
});

test("a place is known by its network, so that the next address of the same IPv6 network is known too", async () => {
  const person = await createPerson(api.database, "moved", 1);
  await signInAs(api.database, person.id, { clientIp: "2001:db8:aaaa:1::5" });
  await guessFromEverywhere("moved", 60);
  expect((await login("moved", PASSWORD, "2001:db8:aaaa:1:ffff::9")).json.success).toBe(true);
});
