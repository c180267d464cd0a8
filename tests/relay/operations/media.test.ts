import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { until } from "../harness";
import { fileOf, form, setUpMedia, wave } from "../media-harness";

const FAULTS = ["429", "500", "cut", "empty", "error", "html"] as const;
const KINDS = ["p", "s", "t"] as const;
type Kind = (typeof KINDS)[number];
type Body = FormData | Record<string, unknown>;
const faulty = KINDS.flatMap((kind) => [...FAULTS, "endless", "silent"].map((fault) => `${kind}-${fault}`));

const { relay, ask, call, rowOf, sent } = setUpMedia(
  [...faulty, "dall-e-3", "tts-1", "whisper-1", "whisper-no-usage", "d-large", "s-both-500", "unpriced-tts"],
  {
    ModelMeterPrices: {
      ...Object.fromEntries(
        faulty.map((model) => [model, { picture: 0.02, second: 0.0001, character: 0.00002, "picture:256x256": 0.01 }]),
      ),
      "whisper-no-usage": { second: 0.0001 },
      "d-large": { picture: 0.02 },
      "s-both-500": { character: 0.00002 },
      "unpriced-tts": { picture: 1 },
    },
    StreamDrainSeconds: 0,
    RetryWaitSeconds: 0,
  },
);

const drawn = (model: string, more: Record<string, unknown> = {}) =>
  ["/v1/images/generations", { model, prompt: "a weir", ...more }] as const;
const said = (model: string, more: Record<string, unknown> = {}) =>
  ["/v1/audio/speech", { model, voice: "alloy", input: "hello", ...more }] as const;
const heard = (model: string, more: Record<string, string> = {}) =>
  ["/v1/audio/transcriptions", form({ file: fileOf(wave(2)), model, ...more })] as const;
const asked: Record<Kind, (model: string, more?: Record<string, unknown>) => readonly [string, Body]> = {
  p: drawn,
  s: said,
  t: (model, more) => heard(model, more as Record<string, string>),
};

describe("failures (nothing is charged for nothing)", () => {
  const cases = KINDS.flatMap((kind) => FAULTS.map((fault) => [kind, fault] as const));
  // What of a sound has reached the caller is charged, see below; an empty text is an answer.
  const before = cases.filter(([kind, fault]) => !(kind === "s" && fault === "cut"));
  test.each(before)("%s-%s", async (kind, fault) => {
    const { user, status, type } = await ask(...asked[kind](`${kind}-${fault}`));
    expect(status).toBe(fault === "429" ? 429 : status >= 500 ? status : "an error");
    expect(type).toContain("application/json");
    expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test.each(KINDS)("a stream of %s without any event", async (kind) => {
    const more = { s: { stream_format: "sse" }, p: { stream: true }, t: { stream: "true" } }[kind];
    const { user, text } = await ask(...asked[kind](`${kind}-empty`, more));
    expect(text).toContain("error");
    expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
  });
});

describe("an answer that is cut", () => {
  test("in bytes never ends like a whole one, and is charged", async () => {
    const { user, status, bytes } = await ask(...said("s-cut"));
    expect([status, bytes]).toEqual([200, null]);
    expect(await rowOf(user)).toMatchObject({ type: 2, quota: 50, other: { outcome: "cut" } });
  });

  test.each([
    ["s", { stream_format: "sse" }, 50],
    ["p", { stream: true, partial_images: 2 }, 0],
    ["t", { stream: "true" }, 100],
  ] as const)("in events of %s ends with an error, and is charged as delivered", async (kind, more, quota) => {
    const { user, text } = await ask(...asked[kind](`${kind}-cut`, more));
    expect(text).toContain("stream_response_error");
    expect(text).not.toMatch(/\.(done|completed)/);
    expect(await rowOf(user)).toMatchObject({ type: 2, quota, other: { outcome: "cut" } });
  });
});

test("another channel is asked, and gets the same file", async () => {
  const bytes = Buffer.concat([wave(2), randomBytes(300_000)]);
  const id = await relay.addChannel({
    type: CHANNEL_TYPE.azure,
    baseUrl: relay.media.url,
    models: "t-500",
    modelMapping: JSON.stringify({ "t-500": "whisper-azure" }),
    priority: -9,
  });
  await relay.inForce();
  const { user, status } = await ask(
    "/v1/audio/transcriptions",
    form({ file: fileOf(bytes, "große.wav"), model: "t-500", language: "de" }),
  );
  expect(status).toBe(200);
  const [first, second] = relay.media.seen.slice(-2);
  expect(second?.path).toMatch(/^\/openai\/deployments\/whisper-azure\/audio\/transcriptions\?api-version=/);
  expect(second?.fields).toEqual({ model: "whisper-azure", language: "de" });
  expect(second?.files).toEqual(first?.files);
  expect(second?.files[0]).toMatchObject({ name: "file", fileName: "große.wav", bytes: bytes.length });
  expect(await rowOf(user)).toMatchObject({ channel: id, quota: 150 });
});

test("a silent upstream costs nothing", async () => {
  const setting = '{"time_limits":{"first_byte_whole":0.2,"alone":0.4}}';
  const { openai: type } = CHANNEL_TYPE;
  await relay.addChannel({ type, baseUrl: relay.media.url, models: "q-silent", setting });
  await relay.setOption("ModelPrice", { "q-silent": 0.01 });
  await relay.inForce();
  for (const kind of KINDS) {
    const { user, status } = await ask(...asked[kind]("q-silent"));
    expect([kind, status, await rowOf(user)]).toMatchObject([kind, 504, { type: 5, quota: 0 }]);
  }
});

describe("a caller who leaves", () => {
  test("in mid-speech is charged for it, and the upstream is left too", async () => {
    const { user, token } = await relay.addCaller();
    const before = relay.media.aborts();
    const leaving = new AbortController();
    const response = await fetch(`${relay.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify(said("s-endless")[1]),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    expect(await rowOf(user)).toMatchObject({ type: 2, quota: 50, other: { outcome: "gone" } });
    await until(async () => relay.media.aborts() > before);
  });

  test("while the file is sent costs nothing and leaves nothing behind", async () => {
    const { user, token } = await relay.addCaller();
    const before = relay.media.seen.length;
    const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
    socket.write(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token.key}\r\n` +
        "content-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n" +
        '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
    );
    socket.write(Buffer.alloc(400_000), () => socket.destroy());
    await new Promise((done) => socket.once("close", done));
    expect((await ask(...heard("whisper-1"))).status).toBe(200);
    expect(relay.media.seen.length).toBe(before + 1);
    expect(await relay.logsOf(user)).toEqual([]);
  });
});

describe("what is refused before anything is sent, and costs nothing", () => {
  test.each([
    [drawn("dall-e-3", { prompt: "" }), 400, "prompt"],
    [drawn("dall-e-3", { n: 11 }), 400, "n"],
    [drawn("dall-e-3", { n: 0 }), 400, "n"],
    [drawn("dall-e-3", { stream: "yes" }), 400, "stream"],
    [drawn("dall-e-3", { response_format: "gif" }), 400, "response_format"],
    [said("tts-1", { input: "" }), 400, "input"],
    [said("tts-1", { stream_format: "xml" }), 400, "stream_format"],
    [["/v1/audio/transcriptions", { model: "whisper-1" }], 400, null],
    [["/v1/audio/transcriptions", form({ model: "whisper-1" })], 400, "file"],
    [["/v1/audio/transcriptions", form({ model: "whisper-1", file: "text" })], 400, "file"],
    [["/v1/audio/transcriptions", form({ model: "whisper-1", file: fileOf(Buffer.alloc(0)) })], 400, "file"],
    [["/v1/audio/transcriptions", form({ model: fileOf(Buffer.from("x")), file: fileOf(wave(1)) })], 400, "model"],
    [
      ["/v1/audio/transcriptions", form({ model: "whisper-1", "model[0]": "x", file: fileOf(wave(1)) })],
      400,
      "model[0]",
    ],
    [["/v1/images/edits", form({ model: "dall-e-3", prompt: "x" })], 400, "image"],
    [["/v1/images/variations", form({ model: "dall-e-3", note: fileOf(wave(1)) })], 400, "note"],
    [said("unpriced-tts"), 400, "model"],
  ] as const)("%j", async ([path, body], status, param) => {
    const before = relay.media.seen.length;
    const answer = await ask(path, body as FormData);
    expect([answer.status, JSON.parse(answer.text).error]).toMatchObject([status, { param }]);
    expect(relay.media.seen.length).toBe(before);
    expect((await relay.balanceOf(answer.user)).used).toBe(0);
  });

  test("a file of a caller without a balance, before it is read", async () => {
    const { token } = await relay.addCaller({ balance: 0 });
    const response = await call("/v1/audio/transcriptions", token.key, heard("whisper-1")[1]);
    expect([response.status, await response.json()]).toMatchObject([429, { error: { code: "insufficient_quota" } }]);
    const { token: poor } = await relay.addCaller({ balance: 20_000 });
    const dear = await call(...([drawn("dall-e-3")[0], poor.key, drawn("dall-e-3", { quality: "hd" })[1]] as const));
    expect(dear.status).toBe(429);
  });
});

describe("files", () => {
  test("of which the upstream tells no length are charged by their header", async () => {
    const { user } = await ask(...heard("whisper-no-usage"));
    expect(await rowOf(user)).toMatchObject({ quota: 100, other: { meters: [{ meter: "second", quantity: 2 }] } });
  });

  test("that are no sound we know are charged by their size, and marked", async () => {
    const { user } = await ask(
      "/v1/audio/transcriptions",
      form({ file: fileOf(Buffer.alloc(10_000, 3), "a.bin"), model: "whisper-no-usage" }),
    );
    expect(await rowOf(user)).toMatchObject({ quota: 150, other: { estimated: true } });
  });

  test("leave nothing on the disk", async () => {
    const large = Buffer.concat([wave(60), randomBytes(1_048_576)]);
    const { status } = await ask("/v1/audio/transcriptions", form({ file: fileOf(large), model: "whisper-1" }));
    expect([status, sent()?.files[0]?.bytes]).toEqual([200, large.length]);
    const folder = `${process.env.TMPDIR ?? "/tmp"}/weir-media-${process.pid}`;
    expect(await readdir(folder)).toEqual([]);
  });
});

test("a picture of 20 MB arrives whole", async () => {
  const { user, status, text } = await ask(...drawn("d-large"));
  const { data } = JSON.parse(text) as { data: { b64_json: string }[] };
  expect([status, data[0]?.b64_json.length]).toEqual([200, 28_000_000]);
  expect(await rowOf(user)).toMatchObject({ quota: 10_000 });
});

test("a word that is not allowed is refused in a form too, or taken out", async () => {
  await relay.setOption("SensitiveWords", "forbidden");
  await relay.setOption("CheckSensitiveEnabled", "true");
  await relay.setOption("CheckSensitiveOnPromptEnabled", "true");
  await relay.setOption("StopOnSensitiveEnabled", "true");
  await relay.inForce();
  const body = () => form({ file: fileOf(wave(1)), model: "whisper-1", prompt: "a forbidden word" });
  expect((await ask("/v1/audio/transcriptions", body())).status).toBe(400);
  await relay.setOption("StopOnSensitiveEnabled", "false");
  await relay.inForce();
  expect((await ask("/v1/audio/transcriptions", body())).status).toBe(200);
  expect(sent()?.fields.prompt).toBe("a *** word");
});
