// Somebody has a key that its owner has disabled or replaced, that is over or used up, that is bound to other addresses, or
// whose owner is banned. It must open nothing any more: not the calls that are paid for, and not those that show what the
// key has done, its balance, or the models that its owner may use.
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import { consoleDatabase } from "@/lib/console-database";
import { TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { setUpRelay, type TokenValues, type UserValues } from "../relay/harness";

const relay = setUpRelay({ channels: [{}] });
beforeAll(() => {
  process.env.DATABASE_URL = relay.database.url;
});
afterAll(() => consoleDatabase().end());

/** Calls of the relay by which the holder of a key reads. */
const READS = [
  "/v1/models",
  "/v1/models/fake-gpt",
  "/v1beta/models",
  "/dashboard/billing/subscription",
  "/dashboard/billing/usage",
  "/v1/dashboard/billing/subscription",
  "/v1/dashboard/billing/usage",
  "/v1/files",
  "/v1/batches",
  "/v1/responses/resp_1",
  "/v1/videos/video_1",
  "/v1/videos/video_1/content",
  "/mj/task/1/fetch",
  "/suno/fetch/1",
];

/** Calls of /api that take a key in place of a sign-in: the public ones with such a parameter. */
const routes = routeTables().flatMap(({ base, handler, routes: all }) =>
  all
    .filter(({ access, query }) => access === "public" && query !== undefined && takesKey(query))
    .map(({ method, path }) => ({ base, handler, method, path })),
);

function takesKey(query: object): boolean {
  return "shape" in query && typeof query.shape === "object" && query.shape !== null && "key" in query.shape;
}

/** The answer is refused, in the way of its surface. */
async function ofRoute({ base, handler, method, path }: (typeof routes)[number], key: string, from: string) {
  const headers = { "x-forwarded-for": from, "accept-language": "en" };
  const request = new Request(`http://weir.example${base}${path}?key=${key}`, { method, headers });
  const answer = await handler(request, {
    params: Promise.resolve({ path: path.split("/").filter((part) => part !== "") }),
  });
  return (await answer.json()) as { success: boolean; message: string };
}

function statusOf(path: string, key: string): Promise<number> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${key}` };
    httpRequest(`${relay.url}${path}`, { headers }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    })
      .once("error", fail)
      .end();
  });
}

const DEAD: Record<string, { user?: UserValues; token?: TokenValues; after?: (key: string) => string; says: string }> =
  {
    disabled: { token: { status: TOKEN_STATUS.disabled }, says: "The API key is disabled" },
    "expired, as marked": { token: { status: TOKEN_STATUS.expired }, says: "The API key has expired" },
    over: { token: { expiredTime: 1_000 }, says: "The API key has expired" },
    "used up": { token: { status: TOKEN_STATUS.exhausted }, says: "The API key's spending limit is used up" },
    "bound to other addresses": {
      token: { allowIps: "192.0.2.0/24" },
      says: "This address is not allowed for the API key",
    },
    "closed to this address": {
      token: { denyIps: "127.0.0.0/8" },
      says: "This address is not allowed for the API key",
    },
    "of a banned user": { user: { status: USER_STATUS.disabled }, says: "The user is banned" },
    "with a channel of an ordinary user's choice": {
      after: (key) => `${key}-1`,
      says: "Ordinary users may not name a channel",
    },
    deleted: { token: { deletedAt: new Date() }, says: "No API key with this key was found" },
    "of a deleted user": { user: { deletedAt: new Date() }, says: "No API key with this key was found" },
  };

test("the calls of /api that take a key are known", () => {
  expect(routes.map(({ base, method, path }) => `${method} ${base}${path}`)).toEqual(["GET /api/log/token"]);
});

describe.each(Object.entries(DEAD))("a key that is %s", (_name, { user, token, after = (key) => key, says }) => {
  test("reads nothing", async () => {
    const caller = await relay.addCaller(user, token);
    const key = after(caller.token.key);
    for (const one of routes)
      expect(await ofRoute(one, key, "127.0.0.1")).toMatchObject({ success: false, message: says });
    const statuses = await Promise.all(READS.map(async (path) => [path, await statusOf(path, key)] as const));
    expect(statuses.filter(([, status]) => status !== 401 && status !== 403)).toEqual([]);
  });
});

test("a key that may be used is answered: with and without sk-, and from the addresses that it is bound to", async () => {
  const { token } = await relay.addCaller({}, { allowIps: "192.0.2.0/24, 127.0.0.1" });
  for (const one of routes) {
    for (const key of [token.key, token.key.slice(3)])
      expect(await ofRoute(one, key, "192.0.2.7")).toMatchObject({ success: true, data: [] });
    expect((await ofRoute(one, token.key, "192.0.3.7")).success).toBe(false);
  }
  expect(await statusOf("/v1/models", token.key)).toBe(200);
});
