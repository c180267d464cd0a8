import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { TENTH } from "@/lib/testing/fake-realtime-session";
import { errorOf, MODEL, openSession, setUpSessions } from "../realtime-harness";

const MAPPED = "rt-mapped";
const relay = setUpSessions(
  [
    { models: "rt-azure", type: CHANNEL_TYPE.azure, other: "2025-04-01-preview" },
    { models: MAPPED, modelMapping: JSON.stringify({ [MAPPED]: "rt-own" }) },
    { models: "rt-failing", modelMapping: JSON.stringify({ "rt-failing": "rt-down" }), priority: 5 },
    { models: "rt-failing", modelMapping: JSON.stringify({ "rt-failing": "rt-busy" }), priority: 4 },
    { models: "rt-failing", modelMapping: JSON.stringify({ "rt-failing": "rt-dies" }), priority: 3 },
    { models: "rt-failing", modelMapping: JSON.stringify({ "rt-failing": "rt-error" }), priority: 2 },
    { models: "rt-failing", modelMapping: JSON.stringify({ "rt-failing": "rt-good" }), priority: 1 },
    { models: "rt-down" },
  ],
  {
    options: {
      RetryTimes: "5",
      ModelRatio: { ...price(["rt-voice", "rt-azure", MAPPED, "rt-failing", "rt-down", "gpt-4o-transcribe"], 1) },
      ModelMeterPrices: { "whisper-1": { second: 0.0001 } },
    },
  },
);

function price(models: string[], ratio: number) {
  return Object.fromEntries(models.map((model) => [model, ratio]));
}

async function caller(balance = 1_000_000) {
  const { user, token } = await relay.addCaller({ balance });
  return { user, key: token.key };
}
const rowsOf = async (user: number, count: number) => {
  await expect.poll(async () => (await relay.logsOf(user)).length, { timeout: 5_000 }).toBe(count);
  return relay.logsOf(user);
};

describe("a session", () => {
  test("passes frames as they are in both directions, and is charged for each response as it ends", async () => {
    const { user, key } = await caller();
    const session = await openSession(relay.url, key);
    await session.next("session.created");
    const written = [
      '{"type":"input_audio_buffer.append","audio":"AAAA"}',
      '{ "audio": "BBBB",\n "type" : "input_audio_buffer.append" }',
      '{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Grüße \\u00e4 🙂"}]}}',
    ];
    for (const text of written) session.socket.send(text);
    session.respond();
    await session.next("response.done");
    const rows = await rowsOf(user, 1);
    session.respond();
    await session.next("response.done", 2);
    await session.close();
    const [fake] = relay.fake.sessions.slice(-1);
    expect(session.frames.map(String)).toEqual(fake?.sent.map(String));
    expect(fake?.received.slice(0, 3).map(String)).toEqual(written);
    // 46 plain, 64 cached (20 of them sound), 40 sound at 20; 10 words at 2, 30 sound at 40.
    expect(rows).toMatchObject([{ type: 2, prompt: 150, completion: 40, quota: 2_130, stream: true, model: MODEL }]);
    expect(rows[0]?.other).toMatchObject({
      ws: true,
      audio: true,
      audio_input: 40,
      audio_output: 30,
      cache_tokens: 64,
    });
    const all = await rowsOf(user, 3);
    expect(all.at(-1)).toMatchObject({ quota: 0, other: { realtime: { charges: 2, ended: "client" } } });
    const lines = (rows[0]?.other.lines ?? []) as { amount: number }[];
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(rows[0]?.quota);
    expect((await relay.balanceOf(user)).used).toBe(4_260);
  });

  test("takes the key as a protocol too, and never sends it back", async () => {
    const { key } = await caller();
    const protocols = ["realtime", `openai-insecure-api-key.${key}`, "openai-beta.realtime-v1"];
    const session = await openSession(relay.url, null, `model=${MODEL}`, protocols);
    await session.next("session.created");
    expect(session.socket.protocol).toBe("realtime");
    const [fake] = relay.fake.sessions.slice(-1);
    expect(fake?.request.headers).toMatchObject({ authorization: "Bearer good-key", "openai-beta": "realtime=v1" });
    expect(JSON.stringify(fake?.request.rawHeaders)).not.toContain(key.slice(3));
    await session.close();
  });

  test("goes to Azure with its path, its version and its key's header", async () => {
    const { key } = await caller();
    const session = await openSession(relay.url, key, "model=rt-azure");
    await session.next("session.created");
    const [fake] = relay.fake.sessions.slice(-1);
    expect(fake?.request.url).toBe("/openai/realtime?api-version=2025-04-01-preview&deployment=rt-azure");
    expect(fake?.request.headers["api-key"]).toBe("good-key");
    await session.close();
  });

  test("names the upstream's model where the channel maps it, and is charged for its own", async () => {
    const { user, key } = await caller();
    const session = await openSession(relay.url, key, `model=${MAPPED}`);
    await session.next("session.created");
    session.send({ type: "session.update", session: { type: "realtime", model: MAPPED } });
    await session.next("session.updated");
    session.respond();
    await session.next("response.done");
    await session.close();
    const [row] = await rowsOf(user, 2);
    expect(row).toMatchObject({ model: MAPPED, other: { is_model_mapped: true, upstream_model_name: "rt-own" } });
  });

  test("asks other channels until one sends its first event", async () => {
    const { user, key } = await caller();
    const session = await openSession(relay.url, key, "model=rt-failing");
    await session.next("session.created");
    await session.close();
    const [row] = await rowsOf(user, 1);
    const admin = row?.other.admin_info as { attempts: { status?: number; cause?: string }[] } | undefined;
    expect(admin?.attempts.map(({ status, cause }) => status ?? cause)).toEqual([500, 500, 429, "reset", 502, 200]);
  });

  test("that no channel takes ends with an error event, and costs nothing", async () => {
    const { user, key } = await caller();
    const session = await openSession(relay.url, key, "model=rt-down");
    expect(errorOf(await session.next("error"))).toMatchObject({ message: "The server had an error" });
    expect((await session.closed).code).toBe(1_011);
    expect(await rowsOf(user, 1)).toMatchObject([{ type: 5, quota: 0 }]);
    expect((await relay.balanceOf(user)).quota).toBe(1_000_000);
  });

  test("what is said to it is transcribed at the price of the model that does it", async () => {
    const { user, key } = await caller();
    const session = await openSession(relay.url, key);
    await session.next("session.created");
    const ask = async (model: string, count: number) => {
      const audio = { input: { transcription: { model } } };
      session.send({ type: "session.update", session: { type: "realtime", audio } });
      // 30 s.
      session.send({ type: "input_audio_buffer.append", audio: TENTH.repeat(300) });
      session.send({ type: "input_audio_buffer.commit" });
      await session.next("conversation.item.input_audio_transcription.completed", count);
    };
    await ask("gpt-4o-transcribe", 1);
    await ask("whisper-1", 2);
    session.send({ type: "session.update", session: { input_audio_transcription: { model: "unpriced-ears" } } });
    expect(errorOf(await session.next("error"))).toMatchObject({
      type: "invalid_request_error",
      code: "model_price_error",
    });
    await session.close();
    const rows = await rowsOf(user, 3);
    expect(rows).toMatchObject([
      { model: "gpt-4o-transcribe", prompt: 13, completion: 9 },
      { model: "whisper-1", quota: 1_500, other: { meters: [{ meter: "second", quantity: 30 }] } },
      { model: MODEL, quota: 0 },
    ]);
  });
});

describe("what a caller may see and say", () => {
  test("words of the operator's list are not passed on, or replaced", async () => {
    const { key } = await caller();
    await relay.setOption("SensitiveWords", "forbidden");
    await relay.inForce();
    const session = await openSession(relay.url, key);
    await session.next("session.created");
    const say = (text: string) =>
      session.send({
        type: "conversation.item.create",
        item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
      });
    say("a Forbidden thing");
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "sensitive_words_detected" });
    await relay.setOption("StopOnSensitiveEnabled", "false");
    await relay.inForce();
    say("a Forbidden thing");
    await session.next("conversation.item.added");
    const [fake] = relay.fake.sessions.slice(-1);
    expect(fake?.received.map(String)).toEqual([expect.stringContaining("a *** thing")]);
    await session.close();
  });

  test("an upstream's error that quotes the channel's key does not show it", async () => {
    const { key } = await caller();
    const session = await openSession(relay.url, key);
    await session.next("session.created");
    const [fake] = relay.fake.sessions.slice(-1);
    fake?.send({ type: "error", error: { type: "server_error", message: "the key good-key is busy", code: null } });
    expect(errorOf(await session.next("error")).message).toBe("the key [redacted] is busy");
    await session.close();
  });

  test("a request without an upgrade, and an upgrade of another path, are refused", async () => {
    const { key } = await caller();
    const headers = { authorization: `Bearer ${key}` };
    const plain = await fetch(`${relay.url}/v1/realtime?model=${MODEL}`, { headers });
    expect(plain.status).toBe(426);
    await expect(openSession(relay.url.replace(/$/, "/v1/chat/completions?"), key)).rejects.toThrow("426");
  });
});

describe("a session ends", () => {
  test("at its time limit, which is that of streams", async () => {
    await relay.setOption("UpstreamStreamSeconds", "1");
    await relay.inForce();
    const { user, key } = await caller();
    const session = await openSession(relay.url, key);
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "time_limit" });
    expect((await session.closed).code).toBe(1_000);
    expect(await rowsOf(user, 1)).toMatchObject([{ quota: 0, other: { realtime: { ended: "time_limit" } } }]);
    await relay.setOption("UpstreamStreamSeconds", "3600");
  });

  test("when its caller answers no ping, and when its upstream answers none", async () => {
    await relay.setOption("StreamKeepAliveSeconds", "1");
    await relay.inForce();
    const { user, key } = await caller();
    const quiet = await openSession(relay.url, key);
    await quiet.next("session.created");
    quiet.socket.pause();
    const deaf = await openSession(relay.url, key);
    await deaf.next("session.created");
    relay.fake.sessions.at(-1)?.socket.pause();
    expect(errorOf(await deaf.next("error"))).toMatchObject({ code: "stream_response_error" });
    const rows = await rowsOf(user, 2);
    const ends = rows.map(({ other }) => (other.realtime as { ended: string }).ended);
    expect(ends.sort()).toEqual(["silence", "upstream"]);
    quiet.socket.terminate();
    relay.fake.sessions.at(-1)?.socket.terminate();
  });
});
