/** What a provider's own programs do with an access token: keys of other accounts, files, limits of their own, and replies that they can read. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { usageLogs } from "@/db/schema";
import { EXPORTS } from "@/lib/http/openapi/common";
import { documentPath } from "@/lib/http/openapi/naming";
import { fromElsewhere } from "./account-harness";
import { call, createPerson, type Person, setUpApi, type Table } from "./harness";

const api = setUpApi();
let second: Person;
let other: Person;
beforeAll(async () => {
  second = await createPerson(api.database, "admin2", 10);
  other = await createPerson(api.database, "root2", 100);
});

type Body = Record<string, unknown>;
const by = (as: Person, line: string, body?: Body) =>
  call(line.includes("/token") ? tokenApi : userApi, line, { as, by: "token", ...(body ? { body } : {}) });
const audits = async () =>
  await api.database
    .sql`select actor_id, action, subject, before, after from audit_entries where action like 'token.%' order by id`;

describe("keys of another account, by an administrator's access token", () => {
  test("are made, listed, found, limited, switched off and deleted, each of it in the audit log (B328)", async () => {
    const owner = await createPerson(api.database, "customer", 1);
    const whose = `user_id=${owner.id}`;
    const made = (await by(api.admin, "POST /api/token/", { user_id: owner.id, name: "main", budget_month: 5 })).json;
    expect(made.data).toMatchObject({ user_id: owner.id, name: "main", budget_month: 5 });
    expect(made.data.key).toMatch(/^[0-9A-Za-z]{48}$/);
    const { id } = made.data;
    const listed = [
      ...(await by(api.admin, `GET /api/token/?${whose}`)).json.data,
      ...(await by(api.admin, `GET /api/token/search?keyword=mai&${whose}`)).json.data,
      (await by(api.admin, `GET /api/token/${id}?${whose}`)).json.data,
    ];
    // The key itself was shown when it was made, and never again.
    expect(listed.map((row: Body) => [row.id, row.key])).toEqual([
      [id, ""],
      [id, ""],
      [id, ""],
    ]);
    const limited = await by(api.admin, "PUT /api/token/", { user_id: owner.id, id, requests_per_minute: 7 });
    expect(limited.json.data).toMatchObject({ rate_limit_count: 7, budget_month: 5 });
    const off = await by(api.admin, "PUT /api/token/?status_only=1", { user_id: owner.id, id, status: "disabled" });
    expect(off.json.data).toMatchObject({ status: 2 });
    // The owner sees it, as own.
    expect((await by(owner, "GET /api/token/")).json.data).toMatchObject([{ id, status: 2, rate_limit_count: 7 }]);
    expect((await by(api.admin, `DELETE /api/token/${id}?${whose}`)).json.success).toBe(true);
    expect((await by(owner, "GET /api/token/")).json.data).toEqual([]);
    const rows = (await audits()).filter(({ subject }) => subject === `token:${id}`);
    expect(rows.map(({ actor_id, action }) => [actor_id, action])).toEqual(
      ["token.create", "token.update", "token.status", "token.delete"].map((action) => [api.admin.id, action]),
    );
    expect(rows[1]).toMatchObject({ before: { userId: owner.id, rateLimitCount: 0 }, after: { rateLimitCount: 7 } });
    expect(JSON.stringify(rows)).not.toContain(made.data.key);
  });

  test("are deleted together by their ids, those of that account alone, each in the audit log", async () => {
    const owner = await createPerson(api.database, "batch", 1);
    const make = async (of: Person, name: string) =>
      (await by(api.admin, "POST /api/token/", { user_id: of.id, name })).json.data.id as number;
    const [first, second_, kept] = [await make(owner, "a"), await make(owner, "b"), await make(owner, "c")];
    const bystander = await createPerson(api.database, "bystander", 1);
    const strange = await make(bystander, "d");
    const remove = async (ids: number[]) =>
      (await by(api.admin, "POST /api/token/batch", { user_id: owner.id, ids })).json;
    expect(await remove([first, second_, strange, 424_242])).toEqual({ success: true, message: "", data: 2 });
    expect(await remove([first])).toMatchObject({ success: true, data: 0 });
    expect((await by(owner, "GET /api/token/")).json.data.map((row: Body) => row.id)).toEqual([kept]);
    expect((await by(bystander, `GET /api/token/${strange}`)).json.success).toBe(true);
    const rows = (await audits()).filter(({ action }) => action === "token.delete");
    expect(
      rows
        .slice(-2)
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual([`token:${first}`, `token:${second_}`]);
    expect(rows.at(-1)).toMatchObject({ actor_id: api.admin.id, before: { userId: owner.id } });
  });

  test("only of a lower role, root aside; without user_id everything is the caller's own", async () => {
    const made = async (as: Person, of: Person) =>
      (await by(as, "POST /api/token/", { user_id: of.id, name: "k" })).json.success;
    // For a user it is no account but the own, and the reply says so.
    const own = (await by(api.alice, "POST /api/token/", { user_id: api.bob.id, name: "k" })).json;
    expect(own).toMatchObject({ data: { user_id: api.alice.id }, warnings: [{ field: "user_id", code: "no_effect" }] });
    expect(await made(api.alice, api.alice)).toBe(true);
    expect(await made(api.admin, api.bob)).toBe(true);
    expect([await made(api.admin, second), await made(api.admin, api.root)]).toEqual([false, false]);
    expect([await made(api.root, second), await made(api.root, other)]).toEqual([true, true]);
    const [key] = await api.database.sql`select id from tokens where user_id = ${second.id}`;
    const [bobs] = await api.database.sql`select id from tokens where user_id = ${api.bob.id}`;
    const tries: [line: string, body?: Body][] = [
      [`GET /api/token/${key?.id}?user_id=${second.id}`],
      [`GET /api/token/?user_id=${second.id}`],
      [`GET /api/token/search?user_id=${second.id}`],
      // What names no account is not the caller.
      ["GET /api/token/?user_id=undefined"],
      ["GET /api/token/search?user_id=-1"],
      ["PUT /api/token/", { user_id: second.id, id: key?.id, name: "mine" }],
      ["PUT /api/token/?status_only=1", { user_id: second.id, id: key?.id, status: 2 }],
      [`DELETE /api/token/${key?.id}?user_id=${second.id}`],
      ["POST /api/token/batch", { user_id: second.id, ids: [key?.id] }],
      ["POST /api/token/batch", { user_id: "x", ids: [bobs?.id] }],
      // An id alone reaches no other account's key, and neither does the wrong account.
      [`GET /api/token/${bobs?.id}`],
      [`DELETE /api/token/${bobs?.id}`],
      ["PUT /api/token/", { id: bobs?.id, name: "mine" }],
      [`DELETE /api/token/${bobs?.id}?user_id=${api.alice.id}`],
      [`DELETE /api/token/${bobs?.id}?user_id=x`],
      [`POST /api/token/${bobs?.id}/key`],
      [`POST /api/token/${bobs?.id}/rotate`],
    ];
    for (const [line, body] of tries) expect((await by(api.admin, line, body)).json.success, line).toBe(false);
    for (const of of [{}, { user_id: api.alice.id }])
      expect((await by(api.admin, "POST /api/token/batch", { ...of, ids: [key?.id, bobs?.id] })).json.data).toBe(0);
    const left = await api.database
      .sql`select name, status from tokens where id in ${api.database.sql([key?.id, bobs?.id])} and deleted_at is null`;
    expect(left).toEqual([
      { name: "k", status: 1 },
      { name: "k", status: 1 },
    ]);
  });

  test("a key is made for the groups that its owner may use, and a part of a key finds no other account's key", async () => {
    await api.database.sql`insert into options (key, value) values
      ('GroupRatio', '{"default":1,"vip":2,"inner":1}'), ('UserUsableGroups', '{"default":"d","vip":"v"}')
      on conflict (key) do update set value = excluded.value`;
    const owner = await createPerson(api.database, "grouped", 1);
    const make = async (group: string) =>
      (await by(api.admin, "POST /api/token/", { user_id: owner.id, name: "g", group })).json;
    expect((await make("inner")).success).toBe(false);
    const { data } = await make("vip");
    const search = async (as: Person, text: string, query = "") =>
      (await by(as, `GET /api/token/search?token=${text}${query}`)).json.data.length;
    const part = data.key.slice(10, 20);
    expect([await search(owner, part), await search(api.admin, part, `&user_id=${owner.id}`)]).toEqual([1, 0]);
    expect(await search(api.admin, data.key, `&user_id=${owner.id}`)).toBe(1);
  });

  test("a session needs a recent proof to make one, as a borrowed browser must not", async () => {
    const owner = await createPerson(api.database, "watched", 1);
    await api.database.sql`update sessions set confirmed_at = 0 where user_id = ${api.admin.id}`;
    const body = { user_id: owner.id, name: "k" };
    const answer = await call(tokenApi, "POST /api/token/", { as: api.admin, body });
    expect(answer.json).toMatchObject({ success: false, code: "step_up_required" });
    expect((await by(api.admin, "POST /api/token/", body)).json.success).toBe(true);
  });
});

describe("an access token says whose it is", () => {
  const self = (headers: Record<string, string>) => call(userApi, "GET /api/user/self", { headers });
  test("the user header is not needed beside it, and is still checked when it is sent; a cookie needs it", async () => {
    const authorization = `Bearer ${api.alice.accessToken}`;
    expect((await self({ authorization })).json.data.id).toBe(api.alice.id);
    for (const header of ["abc", "999999", String(api.bob.id)])
      expect((await self({ authorization, "new-api-user": header })).status).toBe(401);
    expect((await self({ cookie: api.alice.cookie })).status).toBe(401);
    expect((await self({ cookie: api.alice.cookie, authorization })).status).toBe(401);
  });
});

describe("calls by access token have a limit of their own", () => {
  const NAMES = ["GLOBAL_API_RATE_LIMIT", "ACCESS_TOKEN_RATE_LIMIT"];
  afterEach(() => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";
    for (const name of NAMES) delete process.env[name];
  });
  const ask = (authorization: string | null, headers: Record<string, string>) =>
    call(userApi, "GET /api/user/self", { headers: authorization === null ? headers : { ...headers, authorization } });

  test("which neither takes from nor is used up by the calls of their address; its 429 says why and how long", async () => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
    process.env.GLOBAL_API_RATE_LIMIT = "3";
    process.env.ACCESS_TOKEN_RATE_LIMIT = "6";
    const headers = { ...fromElsewhere(), "accept-language": "en" };
    const person = await createPerson(api.database, "busy", 1);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(person.accessToken, headers)).status);
    expect(statuses).toEqual(Array(6).fill(200));
    const refused = await ask(person.accessToken, headers);
    expect([refused.status, refused.json.success]).toEqual([429, false]);
    expect(refused.json.message).toMatch(/Too many calls/);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Those without one have all of theirs left, and their 429 is as older clients know it.
    const plain = [];
    for (let i = 0; i < 4; i++) plain.push(await ask(null, headers));
    expect(plain.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    expect(plain[3]?.json).toBeNull();
  });

  test("tokens that are tried count for their address, and none is looked for beyond it", async () => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
    process.env.GLOBAL_API_RATE_LIMIT = "3";
    const headers = fromElsewhere();
    const tried = [];
    for (let i = 0; i < 4; i++) tried.push((await ask(`guess-${i}`, headers)).status);
    expect(tried).toEqual([200, 200, 200, 429]);
    // From there even a right one that was never used is not answered; one that is known is.
    const fresh = await createPerson(api.database, "fresh", 1);
    expect((await ask(fresh.accessToken, headers)).status).toBe(429);
    expect((await ask(fresh.accessToken, fromElsewhere())).status).toBe(200);
    expect((await ask(fresh.accessToken, headers)).status).toBe(200);
  });

  test("many tokens that are tried at once are looked for no more often than the address may call", async () => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
    process.env.GLOBAL_API_RATE_LIMIT = "3";
    const headers = fromElsewhere();
    const right = await createPerson(api.database, "guessed", 1);
    const tokens = [...Array.from({ length: 11 }, (_, i) => `at-once-${i}`), right.accessToken];
    const answers = await Promise.all(tokens.map((token) => ask(token, headers)));
    // The last one is right, and is not answered either.
    expect(answers.map(({ status }) => status)).toEqual([...Array(3).fill(200), ...Array(9).fill(429)]);
    // Good ones that come at once leave the address all of its calls.
    const person = await createPerson(api.database, "at-once", 1);
    const elsewhere = fromElsewhere();
    const good = await Promise.all(Array.from({ length: 3 }, () => ask(person.accessToken, elsewhere)));
    const plain = [];
    for (let i = 0; i < 4; i++) plain.push((await ask(null, elsewhere)).status);
    expect([...good.map(({ status }) => status), ...plain]).toEqual([200, 200, 200, 401, 401, 401, 429]);
  });

  test("3,000 in a minute, so that a script for hundreds of customers runs through", async () => {
    const { env } = await import("@/lib/env");
    const { ACCESS_TOKEN_RATE_LIMIT, ACCESS_TOKEN_RATE_LIMIT_DURATION } = env();
    expect([ACCESS_TOKEN_RATE_LIMIT, ACCESS_TOKEN_RATE_LIMIT_DURATION]).toEqual([3_000, 60]);
  });
});

describe("files", () => {
  const table = (path: string): Table =>
    (path.startsWith("/api/log") ? logApi : path.startsWith("/api/data") ? dataApi : userApi) as unknown as Table;

  test.each(EXPORTS)("%s, by access token, as csv and jsonl; of all only for administrators", async (path) => {
    for (const format of ["csv", "jsonl"]) {
      const answer = await call(table(path), `GET ${path}?format=${format}`, { as: api.admin, by: "token" });
      expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
        200,
        expect.stringContaining(format),
      ]);
    }
    const wrong = await call(table(path), `GET ${path}?format=xls`, { as: api.admin, by: "token" });
    expect(wrong.json).toMatchObject({ success: false });
    const ofUser = await call(table(path), `GET ${path}`, { as: api.alice, by: "token" });
    expect(ofUser.headers.has("content-disposition")).toBe(path.includes("/self/"));
  });

  test("a statement of a month is the own, or a customer's for an administrator", async () => {
    const month = new Date().toISOString().slice(0, 7);
    const get = (as: Person, query: string) =>
      call(userApi, `GET /api/user/statement?month=${month}${query}`, { as, by: "token" });
    expect((await get(api.alice, "")).json).toContain("alice");
    expect((await get(api.admin, `&user_id=${api.alice.id}`)).json).toContain("alice");
    expect((await get(api.alice, "&format=pdf")).headers.get("content-type")).toBe("application/pdf");
    expect((await get(api.bob, `&user_id=${api.alice.id}`)).json).toMatchObject({ success: false });
    expect((await call(userApi, "GET /api/user/statement?month=x", { as: api.alice, by: "token" })).json.success).toBe(
      false,
    );
  });

  test("the document has them, with what they answer", () => {
    const { paths } = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");
    for (const path of [...EXPORTS, "/api/user/statement"])
      expect(paths[path]?.get?.responses["200"], path).toMatchObject({ content: { "text/csv": {} } });
  });
});

test("a kind of log rows is asked for by number or name", async () => {
  const ask = async (type: string) =>
    (await call(logApi, `GET /api/log/?type=${type}`, { as: api.admin, by: "token" })).json;
  const row = { userId: api.alice.id, username: "alice", createdAt: Math.floor(Date.now() / 1_000) };
  await api.database.db.insert(usageLogs).values([
    { ...row, type: 1, requestId: "a" },
    { ...row, type: 3, requestId: "b" },
  ]);
  const topups = (await ask("1")).data.items;
  expect(topups.length).toBeGreaterThan(0);
  expect((await ask("topup")).data.items).toEqual(topups);
  expect((await ask("TopUp")).data.items).toEqual(topups);
});

describe("messages are in the language of Accept-Language, and Chinese where it says nothing", () => {
  const CHINESE = /[\u4e00-\u9fff]/;
  const calls = routeTables().flatMap(({ base, routes, handler }) =>
    base.startsWith("/api/")
      ? routes.map(({ method, path }) => ({ line: `${method} ${documentPath(base, path)}`, method, handler }))
      : [],
  );

  test.each(calls)("$line", async ({ line, method, handler }) => {
    const table = { [method]: handler } as unknown as Table;
    const target = line.replace("{id}", "0");
    const body = method === "GET" ? {} : { body: { id: 0, monthly_spend_limit: 1 } };
    for (const as of [undefined, api.alice]) {
      const who = as ? { as, by: "token" as const } : {};
      const ask = async (headers: Record<string, string>) => {
        const { json } = await call(table, target, { ...who, ...body, headers: { ...fromElsewhere(), ...headers } });
        return typeof json?.message === "string" ? json.message : "";
      };
      const [english, chinese] = [await ask({ "accept-language": "en-GB,en;q=0.9" }), await ask({})];
      expect(english, `${line} in English`).not.toMatch(CHINESE);
      // Some calls answer with a word that programs compare, in every language.
      if (chinese !== "" && !["success", "error", "bind"].includes(chinese)) expect(chinese, line).toMatch(CHINESE);
    }
  });
});
