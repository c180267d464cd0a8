// A thief has a browser that its owner left open, or the session cookie alone. Showing an API key needs the password, a code
// or a passkey; so no list, search or other answer may show a whole key, or let it be guessed piece by piece, without.
import { beforeAll, describe, expect, test } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
let owner: Person;
let token: { id: number; key: string; key_hint: string };

beforeAll(async () => {
  owner = await createPerson(api.database, "owner", 100);
  token = (await call(tokenApi, "POST /api/token/", { as: owner, body: { name: "mine", unlimited_quota: true } })).json
    .data;
});

async function setProof(isRecent: boolean): Promise<void> {
  const at = isRecent ? Math.floor(Date.now() / 1_000) : 1;
  await api.database.sql`update sessions set confirmed_at = ${at} where user_id = ${owner.id}`;
}

const search = async (text: string, by: "cookie" | "token" = "cookie") =>
  (await call(tokenApi, `GET /api/token/search?token=${text}`, { as: owner, by })).json.data.map(
    ({ id }: { id: number }) => id,
  );

describe("a session whose proof of identity is too old", () => {
  beforeAll(() => setProof(false));

  test("gets no whole key from any call that reads", async () => {
    let asked = 0;
    for (const { base, handler, routes } of routeTables()) {
      for (const { method, path } of routes) {
        if (method !== "GET" || (base === "/api/log" && path === "/stream") || /logout|callback/.test(path)) continue;
        const target = `${base}${path.replace(":id", String(token.id))}?p=0&size=100&page_size=100&keyword=&token=`;
        const answer = await handler(
          new Request(`http://weir.example${target}`, {
            headers: { cookie: owner.cookie, "new-api-user": String(owner.id) },
            signal: AbortSignal.timeout(5_000),
          }),
          {
            params: Promise.resolve({
              path: path
                .replace(":id", String(token.id))
                .split("/")
                .filter((part) => part !== ""),
            }),
          },
        );
        const text = /event-stream/.test(answer.headers.get("content-type") ?? "") ? "" : await answer.text();
        expect([base, path, text.includes(token.key)]).toEqual([base, path, false]);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(50);
  });

  test("gets none in the answer to a change of its token either", async () => {
    for (const target of ["PUT /api/token/", "PUT /api/token/?status_only=true"]) {
      const { json } = await call(tokenApi, target, { as: owner, body: { id: token.id, name: "mine", status: 1 } });
      expect(json).toMatchObject({ success: true, data: { key: "", key_hint: token.key_hint } });
    }
  });

  test("finds a key by the whole of it and by what lists show of its ends, but not by any other piece", async () => {
    const { key, id } = token;
    for (const known of [key, `sk-${key}`, key.slice(0, 4), key.slice(-4), key.slice(0, 1), key.slice(-2)])
      expect([known, await search(known)]).toEqual([known, [id]]);
    for (const guess of [key.slice(0, 5), key.slice(-5), key.slice(10, 14), key.slice(8, 30), key.slice(1)])
      expect([guess, await search(guess)]).toEqual([guess, []]);
  });
});

describe("who may see the key", () => {
  test("a session with a proof gets it in lists, and finds it by any piece", async () => {
    await setProof(true);
    const { json } = await call(tokenApi, "GET /api/token/", { as: owner });
    expect(json.data).toMatchObject([{ id: token.id, key: token.key }]);
    expect(await search(token.key.slice(8, 30))).toEqual([token.id]);
  });

  test("so does an access token, as the clients of older gateways expect it", async () => {
    await setProof(false);
    for (const target of ["GET /api/token/", "GET /api/token/search?keyword=mine"])
      expect((await call(tokenApi, target, { as: owner, by: "token" })).json.data).toMatchObject([{ key: token.key }]);
    const one = await call(tokenApi, `GET /api/token/${token.id}`, { as: owner, by: "token" });
    expect(one.json.data.key).toBe(token.key);
    expect(await search(token.key.slice(8, 30), "token")).toEqual([token.id]);
  });
});
