// Who: somebody with a key that its owner has limited, to embeddings or to one model, and that was given away for just that.
// What must hold: it reaches no file, batch, answer or task of its owner but those that it made itself, on no route that shows,
// changes or builds on one. A key without limits reaches all of its owner's.
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTasks, latestTasks } from "@/lib/relay/operations/tasks/queries";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay } from "../relay/harness";

const MODEL = "gpt-4.1";
const relay = setUpRelay({ prices: MODEL });
let storage: FakeStorage;
let user: number;

beforeAll(async () => {
  storage = await startFakeStorage();
  await relay.addChannel({ baseUrl: storage.url, setting: '{"speaks_responses":true}', models: MODEL });
  await relay.inForce();
  user = await relay.addUser();
});
afterAll(() => storage.close());

async function client(ofToken = {}) {
  const { id, key } = await relay.addToken(user, ofToken);
  return { id, openai: new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}
const LIMITED = {
  "to embeddings": { operationLimits: "embeddings" },
  "to conversations": { operationLimits: "chat" },
  "to one model": { modelLimitsEnabled: true, modelLimits: MODEL },
};

const url = "/v1/chat/completions";
const line = JSON.stringify({
  custom_id: "a",
  method: "POST",
  url,
  body: { model: MODEL, messages: [{ role: "user", content: "Hello" }], max_tokens: 100 },
});

/** Everything that a key can make. */
async function makeAll(openai: OpenAI) {
  const file = await openai.files.create({ file: await toFile(Buffer.from("one"), "a.txt"), purpose: "user_data" });
  const requests = await openai.files.create({ file: await toFile(Buffer.from(line), "in.jsonl"), purpose: "batch" });
  const batch = await openai.batches.create({ input_file_id: requests.id, endpoint: url, completion_window: "24h" });
  const response = await openai.responses.create({ model: MODEL, input: "Hello" });
  return { file: file.id, requests: requests.id, batch: batch.id, response: response.id };
}
type Made = Awaited<ReturnType<typeof makeAll>>;

const asks = (openai: OpenAI, content: unknown[]) =>
  openai.responses.create({ model: MODEL, input: [{ role: "user", content }] } as never);
/** Every way to name something that is kept. The deletions come last. */
const WAYS: [what: string, run: (openai: OpenAI, made: Made) => Promise<unknown>][] = [
  ["read a file", (openai, { file }) => openai.files.retrieve(file)],
  ["fetch a file", (openai, { file }) => openai.files.content(file)],
  ["ask about a file", (openai, { file }) => asks(openai, [{ type: "input_file", file_id: file }])],
  [
    "begin a batch",
    (openai, { requests }) =>
      openai.batches.create({ input_file_id: requests, endpoint: url, completion_window: "24h" }),
  ],
  ["read a batch", (openai, { batch }) => openai.batches.retrieve(batch)],
  ["cancel a batch", (openai, { batch }) => openai.batches.cancel(batch)],
  ["read an answer", (openai, { response }) => openai.responses.retrieve(response)],
  ["read an answer's input", (openai, { response }) => openai.responses.inputItems.list(response)],
  [
    "go on with an answer",
    (openai, { response }) => openai.responses.create({ model: MODEL, input: "On", previous_response_id: response }),
  ],
  ["cancel an answer", (openai, { response }) => openai.responses.cancel(response)],
  ["delete a file", (openai, { file }) => openai.files.delete(file)],
  ["delete an answer", (openai, { response }) => openai.responses.delete(response)],
];

describe.each(Object.entries(LIMITED))("a key that is limited %s", (_name, limits) => {
  test("reaches nothing that another key of its owner made", async () => {
    const made = await makeAll((await client()).openai);
    const { openai } = await client(limits);
    storage.calls.length = 0;
    const reached: string[] = [];
    for (const [what, run] of WAYS) {
      const status = await run(openai, made).then(
        () => 200,
        (error: { status?: number }) => error.status ?? 0,
      );
      if (![400, 403, 404].includes(status)) reached.push(`${what}: ${status}`);
    }
    expect(reached).toEqual([]);
    expect(storage.calls).toEqual([]);
    expect((await openai.files.list()).data).toEqual([]);
    expect((await openai.batches.list()).data).toEqual([]);
  });
});

describe("what a limited key made", () => {
  test("it reaches itself, and so does a key without limits; another limited one does not", async () => {
    const { openai } = await client(LIMITED["to one model"]);
    const made = await makeAll(openai);
    const whole = (await client()).openai;
    const other = (await client(LIMITED["to one model"])).openai;
    for (const one of [openai, whole]) {
      expect((await one.files.list()).data.map(({ id }) => id)).toEqual(
        expect.arrayContaining([made.file, made.requests]),
      );
      expect((await one.batches.list()).data.map(({ id }) => id)).toContain(made.batch);
      expect((await one.files.retrieve(made.file)).id).toBe(made.file);
      expect((await one.responses.retrieve(made.response)).id).toBe(made.response);
      await one.responses.create({ model: MODEL, input: "On", previous_response_id: made.response });
    }
    expect((await other.files.list()).data).toEqual([]);
    await expect(other.files.retrieve(made.file)).rejects.toMatchObject({ status: 404 });
    expect((await openai.files.delete(made.file)).deleted).toBe(true);
  });

  test("the files with a batch's answers belong to the key that began it", async () => {
    const { id, openai } = await client(LIMITED["to one model"]);
    const { batch } = await makeAll(openai);
    storage.endBatch(batch, { status: "completed", completed_at: 1_760_000_500 }, "{}", "");
    const { output_file_id: output } = await openai.batches.retrieve(batch);
    const { sql } = relay.database;
    const rows = await sql`select token_id as token from upstream_objects where object_id = ${output ?? ""}`;
    expect(rows).toEqual([{ token: id }]);
  });

  test("tasks are found and followed by the same rule", async () => {
    const { sql } = relay.database;
    const [mine, others] = [await client(LIMITED["to one model"]), await client()];
    for (const { id } of [mine, others]) {
      await sql`
        insert into tasks (created_at, updated_at, task_id, platform, wire, action, user_id, token_id, channel_id, key_hash, status)
        values (1, 1, ${`task-${id}`}, 'p', 'w', 'a', ${user}, ${id}, 1, '', 'SUCCESS')`;
    }
    const ids = [`task-${mine.id}`, `task-${others.id}`];
    const seenBy = async (tokenId: number | null) => {
      const owner = { userId: user, tokenId };
      const [found, latest] = [
        await findTasks(sql, owner, "w", ids),
        await latestTasks(sql, owner, "w", { latest: 9 }),
      ];
      expect(latest.map(({ taskId }) => taskId).sort()).toEqual(found.map(({ taskId }) => taskId).sort());
      return found.map(({ taskId }) => taskId);
    };
    expect(await seenBy(null)).toEqual(ids);
    expect(await seenBy(mine.id)).toEqual([ids[0]]);
  });
});
