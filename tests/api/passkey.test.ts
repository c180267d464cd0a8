import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { oneTimeSecrets, passkeys, sessions, users } from "@/db/schema";
import { SoftwareAuthenticator } from "@/lib/testing/authenticator";
import { type Answer, type CallOptions, call, createPerson, PASSWORD, type Person, setUpApi } from "./harness";

const api = setUpApi();
const HOST = "weir.example";
const origin = `https://${HOST}`;

const user = (line: string, options: CallOptions = {}) => {
  const [method, path] = line.split(" ");
  const headers = { "x-forwarded-host": HOST, "x-forwarded-proto": "https", ...options.headers };
  return call(userApi, `${method} /api/user${path}`, { ...options, headers });
};
const cookieOf = ({ headers }: Answer) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const begin = async (body: object = {}) => (await user("POST /passkey/login/begin", { body })).json.data;
const finish = (response: object, more: object = {}) =>
  user("POST /passkey/login/finish", { body: { response, ...more } });

async function register(
  person: Person,
  key = new SoftwareAuthenticator(),
  name = "Key",
): Promise<SoftwareAuthenticator> {
  const { data } = (await user("POST /passkey/register/begin", { as: person })).json;
  const response = key.register(data, { origin });
  const answer = await user("POST /passkey/register/finish", { as: person, body: { name, response } });
  expect(answer.json.message).toBe("");
  return key;
}

test("a passkey signs its owner in without a user name", async () => {
  const person = await createPerson(api.database, "k-in", 1);
  const key = await register(person);
  const options = await begin();
  expect([options.rpId, options.userVerification, options.allowCredentials]).toEqual([HOST, "required", undefined]);
  const answer = await finish(key.prove(options, { origin }));
  expect(answer.json.data).toMatchObject({ id: person.id, username: "k-in" });
  const { data } = (await user("GET /session", { as: { ...person, cookie: cookieOf(answer) } })).json;
  expect(data[0]).toMatchObject({ current: true, method: "passkey" });
});

test("several passkeys with names; rename, delete; nobody else's", async () => {
  const person = await createPerson(api.database, "k-many", 1);
  const [first] = [await register(person, undefined, "Phone"), await register(person, undefined, "Stick")];
  const list = async () => (await user("GET /passkey", { as: person })).json.data;
  expect((await list()).map(({ name }: { name: string }) => name).sort()).toEqual(["Phone", "Stick"]);
  const rename = (as: Person, name: string) => user("PUT /passkey", { as, body: { id: first.id, name } });
  expect((await rename(api.alice, "Mine")).json.message).toBe("通行密钥不存在");
  expect((await rename(person, " ")).json.success).toBe(false);
  expect((await rename(person, " My phone ")).json.success).toBe(true);
  expect((await user(`DELETE /passkey?id=${first.id}`, { as: api.alice })).json.success).toBe(false);
  expect((await list()).map(({ name }: { name: string }) => name).sort()).toEqual(["My phone", "Stick"]);
  expect((await user(`DELETE /passkey?id=${first.id}`, { as: person })).json.success).toBe(true);
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(["Stick"]);
  expect((await finish(first.prove(await begin(), { origin }))).json.message).toBe(
    "此站点没有该通行密钥，或其账户不可用",
  );
});

test("a registration answers a challenge of this session, once, at this address", async () => {
  const person = await createPerson(api.database, "k-reg", 1);
  const challenge = async (as: Person) => (await user("POST /passkey/register/begin", { as })).json.data;
  const send = (response: object) =>
    user("POST /passkey/register/finish", { as: person, body: { name: "k", response } });
  const key = new SoftwareAuthenticator();
  expect((await send(key.register(await challenge(api.alice), { origin }))).json.success).toBe(false);
  expect((await send(key.register(await challenge(person), { origin: "https://evil.example" }))).json.success).toBe(
    false,
  );
  const options = await challenge(person);
  expect((await send(key.register({ ...options, rp: { id: "evil.example" } }, { origin }))).json.success).toBe(false);
  const good = key.register(await challenge(person), { origin });
  expect((await send(good)).json.success).toBe(true);
  expect((await send(good)).json.success).toBe(false);
  expect((await send(key.register(await challenge(person), { origin }))).json.message).toBe("该通行密钥已经添加过");
});

test("an answer is taken once, and only for a challenge given for this purpose", async () => {
  const person = await createPerson(api.database, "k-once", 1);
  const key = await register(person);
  const answer = key.prove(await begin(), { origin });
  expect((await finish(answer)).json.success).toBe(true);
  expect((await finish(answer)).json.message).toBe("通行密钥验证已超时，请重试");
  const stepUp = (await user("POST /confirm/passkey/begin", { as: person })).json.data;
  expect((await finish(key.prove(stepUp, { origin }))).json.success).toBe(false);
  const late = key.prove(await begin(), { origin });
  await api.database.db.update(oneTimeSecrets).set({ expiresAt: 1 }).where(eq(oneTimeSecrets.kind, "passkey-sign-in"));
  expect((await finish(late)).json.success).toBe(false);
});

test.each([
  ["from another address", { origin: "https://evil.example" }],
  ["without the owner's finger or PIN", { origin, verifies: false }],
])("an answer %s signs nobody in", async (name, behaviour) => {
  const person = await createPerson(api.database, `k-bad${name.length}`, 1);
  const key = await register(person);
  const answer = await finish(key.prove(await begin(), behaviour));
  expect([answer.json.message, answer.headers.get("set-cookie")]).toEqual(["通行密钥验证失败，请重试", null]);
});

test("a counter that does not go up gives a copied authenticator away", async () => {
  const person = await createPerson(api.database, "k-copy", 1);
  const key = await register(person);
  expect((await finish(key.prove(await begin(), { origin, counter: 7 }))).json.success).toBe(true);
  expect((await finish(key.prove(await begin(), { origin, counter: 7 }))).json.success).toBe(false);
  expect((await finish(key.prove(await begin(), { origin, counter: 8 }))).json.success).toBe(true);
  const [row] = await api.database.db.select().from(passkeys).where(eq(passkeys.id, key.id));
  expect(row?.counter).toBe(8);
});

test("another's key under a known passkey's name is refused", async () => {
  const person = await createPerson(api.database, "k-forge", 1);
  const key = await register(person);
  const forged = new SoftwareAuthenticator().prove(await begin(), { origin });
  const answer = await finish({ ...forged, id: key.id, rawId: key.id });
  expect([answer.json.success, answer.headers.get("set-cookie")]).toEqual([false, null]);
});

test("a banned or deleted account is not let in by its passkey", async () => {
  const person = await createPerson(api.database, "k-ban", 1);
  const key = await register(person);
  const set = (values: object) => api.database.db.update(users).set(values).where(eq(users.id, person.id));
  for (const state of [{ status: 2 }, { status: 1, deletedAt: new Date() }]) {
    await set(state);
    const answer = await finish(key.prove(await begin(), { origin }));
    expect([answer.json.success, answer.headers.get("set-cookie")]).toEqual([false, null]);
  }
});

test("a passkey is the second factor of a password sign-in; another's is not", async () => {
  const person = await createPerson(api.database, "k-2fa", 1);
  const key = await register(person);
  const stranger = await register(api.bob);
  const { secret } = (await user("POST /2fa/setup", { as: person })).json.data;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await user("POST /2fa/enable", { as: person, body: { code } });
  const step = (await user("POST /login", { body: { username: "k-2fa", password: PASSWORD } })).json.data;
  expect(step.methods).toEqual(["totp", "recovery", "passkey"]);
  const { ticket } = step;
  expect((await finish(stranger.prove(await begin({ ticket }), { origin }), { ticket })).json.success).toBe(false);
  expect((await finish(key.prove(await begin(), { origin }), { ticket })).json.success).toBe(false);
  const options = await begin({ ticket });
  expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([key.id]);
  const answer = await finish(key.prove(options, { origin, verifies: false }), { ticket });
  expect(answer.json.data).toMatchObject({ id: person.id });
  const again = await user("POST /passkey/login/begin", { body: { ticket } });
  expect(again.json.message).toBe("本次登录已过期，请重新输入用户名和密码");
});

test("a passkey confirms who is at the browser; another's does not", async () => {
  const person = await createPerson(api.database, "k-up", 1);
  const key = await register(person);
  const stranger = await register(await createPerson(api.database, "k-other", 1));
  await api.database.db.update(sessions).set({ confirmedAt: 1 }).where(eq(sessions.userId, person.id));
  const remove = () => user(`DELETE /passkey?id=${key.id}`, { as: person });
  const confirm = async (by: SoftwareAuthenticator) => {
    const options = (await user("POST /confirm/passkey/begin", { as: person })).json.data;
    return user("POST /confirm/passkey/finish", { as: person, body: { response: by.prove(options, { origin }) } });
  };
  expect((await remove()).json.code).toBe("step_up_required");
  expect((await confirm(stranger)).json.success).toBe(false);
  expect((await remove()).json.code).toBe("step_up_required");
  expect((await confirm(key)).json.success).toBe(true);
  expect((await remove()).json.success).toBe(true);
  expect((await user("POST /confirm/passkey/begin", { as: person })).json.message).toBe("此账户没有通行密钥");
});

test.each([
  [{}],
  [{ response: null }],
  [{ response: { id: "x", rawId: "x", type: "public-key", response: {} } }],
  [{ response: { id: "ä", rawId: "x", type: "password", response: { clientDataJSON: "e30" } } }],
  [
    {
      response: {
        id: "x",
        rawId: "x",
        type: "public-key",
        response: { clientDataJSON: "AAAA", authenticatorData: "AA", signature: "AA" },
      },
    },
  ],
  [{ ticket: {}, response: 7 }],
])("nonsense is refused in words: %j", async (body) => {
  for (const path of ["/passkey/login/finish", "/confirm/passkey/finish", "/passkey/register/finish"]) {
    const answer = await user(`POST ${path}`, { as: api.alice, body });
    expect([answer.status, answer.json.success, answer.headers.get("set-cookie")], path).toEqual([200, false, null]);
    expect(answer.json.message).not.toBe("");
  }
});

test("at most twenty passkeys for an account", async () => {
  const person = await createPerson(api.database, "k-lots", 1);
  await api.database.db
    .insert(passkeys)
    .values(Array.from({ length: 20 }, (_, i) => ({ id: `k${i}`, userId: person.id, name: `${i}`, publicKey: "AA" })));
  expect((await user("POST /passkey/register/begin", { as: person })).json.message).toBe("最多可以添加 20 个通行密钥");
});

test("an address that asks for challenges without end is held back", async () => {
  const headers = { "x-forwarded-for": "192.0.2.44" };
  const ask = () => user("POST /passkey/login/begin", { body: {}, headers });
  const answers = await Promise.all(Array.from({ length: 125 }, ask));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
});
