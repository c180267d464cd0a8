// Who: a caller with a small balance, who begins many batches at once, or one of a request with any option, tool or part that
// the official clients know.
// What must hold: the balance never falls below 0 where each request uses as much as it can.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pollOpen } from "@/lib/jobs/poll-open-charges";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { BATCH_ENDPOINTS } from "@/lib/relay/side/batches/read-requests";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay, until } from "../relay/harness";
import { usedBy } from "./dearest-upstream";
import { dearest } from "./dearest-usage";
import { fieldsIn, OPENAI } from "./operation-catalogue";
import { catalogueOf } from "./request-catalogue";
import type { Json } from "./scripted-upstream";

const BALANCE = 40_000;
const WINDOW = 1_047_576;
const EMBEDDING = "text-embedding-3-small";
const CHAT = "gpt-4.1";
const INSTRUCT = "gpt-3.5-turbo-instruct";
const PLAIN = "plain";
/** Plain batches at once. */
const TIMES = 3;
/** Nothing stored can be named in a batch, so that only these bring in what the request does not show. */
const FETCHED = /"(file_url|file_data|document)"/;

type Tried = { what: string; more: Json };
type Way = { url: string; model: string; plain: Json; tried: readonly Tried[]; used: (body: Json) => Usage };
type Usage = { prompt: number; completion: number };

const WAYS: readonly Way[] = [
  {
    ...{ url: "/v1/chat/completions", model: CHAT, tried: catalogueOf("chat") },
    plain: { messages: [{ role: "user", content: "hi" }], max_tokens: 200 },
    used: (body) => dearest({ wire: "chat", body, isStream: false }, WINDOW, FETCHED),
  },
  {
    ...{ url: "/v1/responses", model: CHAT, tried: catalogueOf("responses") },
    plain: { input: "hi", max_output_tokens: 200 },
    used: (body) => dearest({ wire: "responses", body, isStream: false }, WINDOW, FETCHED),
  },
  {
    ...{ url: "/v1/embeddings", model: EMBEDDING },
    tried: fieldsIn(`${OPENAI}/embeddings.d.ts`, "EmbeddingCreateParams"),
    plain: { input: "a river ".repeat(300) },
    used: (body) => usedBy("/v1/embeddings", body),
  },
  {
    ...{ url: "/v1/completions", model: INSTRUCT },
    tried: fieldsIn(`${OPENAI}/completions.d.ts`, "CompletionCreateParamsBase"),
    plain: { prompt: "Once", max_tokens: 200 },
    used: (body) => usedBy("/v1/completions", body),
  },
];

/** At half of the usual price, three plain ones are paid for, and with a third of the balance nothing that costs more. */
const RATIOS = { [CHAT]: 30, [INSTRUCT]: 62, [EMBEDDING]: 17 };
const relay = setUpRelay({ options: { AllowedRequestOptions: DEAR_OPTIONS.join("\n"), ModelRatio: RATIOS } });
let storage: FakeStorage;

beforeAll(async () => {
  storage = await startFakeStorage();
  const setting = '{"speaks_responses":true}';
  await relay.setOption("ModelRatio", RATIOS);
  await relay.addChannel({ baseUrl: storage.url, setting, models: Object.keys(RATIOS).join(","), key: "key-a" });
  await relay.inForce();
});
afterAll(() => storage.close());

test("every path that batches take is attacked (B317)", () => {
  expect(WAYS.map(({ url }) => url).sort()).toEqual([...BATCH_ENDPOINTS].sort());
});

async function post(key: string, path: string, body: FormData | string): Promise<Json> {
  const type: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
  const headers = { authorization: `Bearer ${key}`, ...type };
  const response = await fetch(relay.url + path, { method: "POST", headers, body });
  return (await response.json()) as Json;
}

/**
 * The batches that were begun of a file with one request. The batches of a request are all alike, so one with a third of the
 * balance shows what three would: whether it costs more than was reserved.
 */
async function begin({ url, model, plain }: Way, { what, more }: Tried) {
  const times = what === PLAIN ? TIMES : 1;
  const { user, token } = await relay.addCaller({ balance: Math.floor((BALANCE * times) / TIMES) });
  const body = { model, ...plain, ...more };
  const form = new FormData();
  form.append("purpose", "batch");
  form.append("file", new File([JSON.stringify({ custom_id: "a", method: "POST", url, body })], "in.jsonl"));
  const { id: file } = await post(token.key, "/v1/files", form);
  const asked = JSON.stringify({ input_file_id: file, endpoint: url, completion_window: "24h" });
  const begun = Array.from({ length: file ? times : 0 }, () => post(token.key, "/v1/batches", asked));
  return {
    what,
    user,
    body,
    ids: (await Promise.all(begun)).flatMap(({ id }) => (typeof id === "string" ? [id] : [])),
  };
}

function answerOf(url: string, { prompt, completion }: Usage): string {
  const isResponse = url === "/v1/responses";
  const usage = isResponse
    ? { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion }
    : { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return JSON.stringify({ custom_id: "a", response: { status_code: 200, body: { usage } }, error: null });
}

async function openCharges(): Promise<number> {
  const [row] = await relay.database.sql<{ count: number }[]>`select count(*)::int as count from open_charges`;
  return row?.count ?? 0;
}

/** A few at a time. */
async function beginAll(way: Way) {
  const queue: Tried[] = [{ what: PLAIN, more: {} }, ...way.tried];
  const begun: Awaited<ReturnType<typeof begin>>[] = [];
  const work = async (): Promise<void> => {
    for (let tried = queue.shift(); tried; tried = queue.shift()) begun.push(await begin(way, tried));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return begun;
}

test.each(WAYS)(
  "$url, every option, tool and part, and three plain batches at once (B317)",
  async (way) => {
    const begun = await beginAll(way);
    for (const { body, ids } of begun) {
      const answer = answerOf(way.url, way.used(body));
      for (const id of ids) storage.endBatch(id, { status: "completed", completed_at: 1_760_000_500 }, answer);
    }
    await until(async () => {
      await relay.database.sql`update open_charges set next_poll_at = 0`;
      await pollOpen(relay.database.sql);
      return (await openCharges()) === 0;
    }, 60_000);
    const { sql } = relay.database;
    const users = begun.map(({ user }) => user);
    const rows = await sql<{ id: number; quota: number }[]>`select id, quota from users where id in ${sql(users)}`;
    const left = new Map(rows.map(({ id, quota }) => [id, quota]));
    const attacks = begun.map(({ what, user, ids }) => ({ what, served: ids.length, left: left.get(user) ?? 0 }));
    expect(attacks.filter((one) => one.left < 0)).toEqual([]);
    const plain = attacks.find(({ what }) => what === PLAIN);
    expect(plain?.served).toBe(TIMES);
    // What costs twice as much is not paid for three times.
    expect(plain?.left).toBeLessThan(BALANCE / 2);
    expect(attacks.filter(({ served }) => served > 0).length).toBeGreaterThan(3);
  },
  120_000,
);
