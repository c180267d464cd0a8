// Anyone, signed in or not, calls a server action or a route with data that contains itself, that contains one object
// exponentially often, or that is nested a hundred thousand times. Each such call must be refused after a bounded
// number of steps: a walk without bounds ends the console's process for everybody.
import { resolve } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import { rateClassOf } from "@/lib/http/action";
import { assertPlainData } from "@/lib/http/plain-data";
import { serverActionFiles } from "@/lib/testing/server-action-files";
import { setUpApi } from "../api/harness";
import { decodeArguments, metered } from "./react-arguments";

const api = setUpApi();
const browser = vi.hoisted(() => ({ headers: new Headers() }));
vi.mock("next/headers", () => ({
  headers: async () => browser.headers,
  cookies: async () => ({
    get: (name: string) => {
      const value = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(browser.headers.get("cookie") ?? "")?.[1];
      return value === undefined ? undefined : { name, value };
    },
    set() {},
    delete() {},
  }),
}));
vi.mock("next/cache", () => ({ refresh() {} }));
vi.mock("next-intl/server", () => ({
  getLocale: async () => "en",
  getTranslations: async () => Object.assign((key: string) => key, { has: () => true }),
}));

const READS_MAX = 200_000;
const REFUSED = { ok: false, code: "invalid", message: "parametersInvalid", fields: {} };
type Action = (input: unknown) => Promise<unknown>;

const actions = new Map<string, Action>();
beforeAll(async () => {
  for (const path of serverActionFiles()) {
    const module = (await import(resolve(path))) as Record<string, Action>;
    for (const [name, value] of Object.entries(module)) actions.set(`${path.replace(/\.tsx?$/, "")}/${name}`, value);
  }
  browser.headers = new Headers({ cookie: api.root.cookie, "sec-fetch-site": "same-origin" });
});

const doubled = Array.from({ length: 60 }, (_, level) =>
  level === 0 ? '"x0":{}' : `"x${level}":{"l":"$0:0:x${level - 1}","r":"$0:0:x${level - 1}"}`,
);
const bodies = {
  "contains itself": '[{"self":"$0:0"}]',
  "contains itself as a list": '[[[["$0:0"]]]]',
  "contains itself in two places": '[{"a":{"b":"$0:0"},"c":["$0:0","$0:0:a"]}]',
  "contains one object 2^60 times": `[{${doubled.join(",")}}]`,
  "is nested 500 times": `[${"[".repeat(500)}${"]".repeat(500)}]`,
  "contains a promise of itself": '[{"a":"$@0"}]',
  "contains an iterator": '[{"a":"$i0"}]',
  "contains a bigint": '[{"a":"$n1"}]',
};

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

describe("server actions", () => {
  test("every exported server action is made by the guarded function", () => {
    expect([...actions].flatMap(([name, made]) => (rateClassOf(made) === null ? [name] : []))).toEqual([]);
    expect(actions.size).toBeGreaterThan(80);
  });

  test.each(Object.entries(bodies))("an argument that %s is refused by every action", async (_name, body) => {
    for (const [name, run] of actions) {
      const [value] = await decodeArguments(body);
      expect([name, await run(value)]).toEqual([name, REFUSED]);
    }
  });

  test.each(Object.entries(bodies))("an argument that %s is read a bounded number of times", async (_name, body) => {
    // One of them by every action, the others by one: all actions are guarded by the same function, as the first test says.
    const readers = body === bodies["contains one object 2^60 times"] ? [...actions] : [...actions].slice(0, 1);
    expect(readers.length).toBeGreaterThan(0);
    for (const [name, run] of readers) {
      const { value, reads } = metered((await decodeArguments(body))[0], READS_MAX);
      expect([name, await run(value)]).toEqual([name, REFUSED]);
      expect(reads()).toBeLessThan(READS_MAX);
    }
  });

  test("nesting deeper than the call stack is refused by every action", async () => {
    for (const [name, run] of actions) {
      expect([name, await run(nested(100_000))]).toMatchObject([name, { ok: false, message: "parametersInvalid" }]);
    }
  });
});

describe("routes", () => {
  const whole = {
    "nested 100,000 times": `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    "of 100,000 numbers": `{"a":[${"0,".repeat(99_999)}0]}`,
  };

  test.each(Object.entries(whole))("a body %s is refused by every route that takes one", async (_name, body) => {
    for (const { base, handler, routes } of routeTables()) {
      for (const { method, path, body: schema } of routes) {
        if (!schema) continue;
        const segments = path.split("/").flatMap((part) => (part === "" ? [] : [part === ":id" ? "1" : part]));
        const headers = { cookie: api.root.cookie, "new-api-user": String(api.root.id), "accept-language": "en" };
        const request = new Request(`http://weir.example${base}${path}`, { method, headers, body });
        const answer = await handler(request, { params: Promise.resolve({ path: segments }) });
        expect([method, base, path, await answer.json()]).toMatchObject([
          method,
          base,
          path,
          { success: false, message: expect.stringMatching(/^Invalid parameters/) },
        ]);
      }
    }
  });
});

test("what people really send passes: a large option, a thousand ids, one object in two places", () => {
  const shared = { group: "default" };
  const input = {
    value: "x".repeat(1_000_000),
    ids: Array.from({ length: 1_000 }, (_, id) => id),
    a: shared,
    b: shared,
  };
  expect(() => assertPlainData(input)).not.toThrow();
});
