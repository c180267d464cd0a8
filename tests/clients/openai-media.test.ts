import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { SOUND, SUBTITLES, TRANSCRIPT } from "@/lib/testing/fake-media";
import { fileOf, setUpMedia, wave } from "../relay/media-harness";
import { collect } from "./harness";

const { relay, rowOf, sent } = setUpMedia(
  ["dall-e-2", "dall-e-3", "gpt-image-1", "tts-1", "gpt-4o-mini-tts", "whisper-1", "gpt-4o-transcribe"],
  // Two quota for a token of the answer, one for a token of the prompt.
  {
    ModelRatio: { "gpt-image-1": 1, "gpt-4o-mini-tts": 1, "gpt-4o-transcribe": 1 },
    CompletionRatio: { "gpt-image-1": 2, "gpt-4o-mini-tts": 2, "gpt-4o-transcribe": 2 },
  },
);

async function client(): Promise<{ user: number; openai: OpenAI }> {
  const { user, token } = await relay.addCaller();
  return { user, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

const sound = (): File => fileOf(wave(2.4));
const picture = (): File => fileOf(Buffer.alloc(200_000, 7), "a.png", "image/png");

describe("OpenAI's client draws", () => {
  test("pictures, charged by their number, size and quality", async () => {
    const { user, openai } = await client();
    const { data } = await openai.images.generate({
      model: "dall-e-3",
      prompt: "a weir",
      size: "1024x1792",
      quality: "hd",
      response_format: "b64_json",
    });
    expect(data?.map(({ b64_json: bytes }) => bytes)).toEqual(["d2hvbGU="]);
    // $0.12 a picture, 500,000 quota a dollar.
    expect(await rowOf(user)).toMatchObject({
      quota: 60_000,
      prompt: 0,
      other: { meters: [{ meter: "picture", variant: "1024x1792:hd", quantity: 1, price: 0.12 }] },
    });
    const two = await client();
    await two.openai.images.generate({ model: "dall-e-2", prompt: "a weir", n: 2, size: "512x512" });
    expect(await rowOf(two.user)).toMatchObject({ quota: 18_000 });
  });

  test("pictures whose tokens are reported, and partial ones in a stream", async () => {
    const whole = await client();
    await whole.openai.images.generate({ model: "gpt-image-1", prompt: "a weir" });
    expect(await rowOf(whole.user)).toMatchObject({ prompt: 50, completion: 1_056, quota: 10 + 2 * 40 + 2 * 1_056 });
    const { user, openai } = await client();
    const stream = await openai.images.generate({
      model: "gpt-image-1",
      prompt: "a weir",
      stream: true,
      partial_images: 2,
    });
    const events = await collect(stream);
    expect(events.map(({ type }) => type)).toEqual([
      "image_generation.partial_image",
      "image_generation.partial_image",
      "image_generation.completed",
    ]);
    expect(await rowOf(user)).toMatchObject({ prompt: 50, completion: 1_056, quota: 10 + 2 * 40 + 2 * 1_056, stream: true });
  });

  test("pictures anew, from files", async () => {
    const { user, openai } = await client();
    const edited = await openai.images.edit({
      image: [picture(), picture()],
      mask: picture(),
      prompt: "more water",
      model: "gpt-image-1",
    });
    expect(edited.data).toHaveLength(1);
    expect(
      sent()
        ?.files.map(({ name, bytes }) => [name, bytes])
        .sort(),
    ).toEqual([
      ["image[]", 200_000],
      ["image[]", 200_000],
      ["mask", 200_000],
    ]);
    expect(await rowOf(user)).toMatchObject({ prompt: 50, completion: 1_056 });
    const stream = await (await client()).openai.images.edit({
      image: picture(),
      prompt: "more water",
      model: "gpt-image-1",
      stream: true,
    });
    expect((await collect(stream)).map(({ type }) => type)).toEqual(["image_edit.completed"]);
    const other = await client();
    await other.openai.images.createVariation({ image: picture(), model: "dall-e-2", n: 2 });
    expect(await rowOf(other.user)).toMatchObject({ quota: 20_000 });
  });
});

describe("OpenAI's client speaks", () => {
  test("in bytes, charged by characters", async () => {
    const { user, openai } = await client();
    const answer = await openai.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Grüße 👋" });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(SOUND);
    expect(await rowOf(user)).toMatchObject({
      // Seven characters at $0.000015 are 52.5 quota.
      quota: 53,
      other: { meters: [{ meter: "character", quantity: 7, price: 0.000015 }] },
    });
  });

  test("in events, charged by the tokens reported", async () => {
    const { user, openai } = await client();
    const answer = await openai.audio.speech.create({
      model: "gpt-4o-mini-tts",
      voice: "alloy",
      input: "hello",
      stream_format: "sse",
    });
    expect(await answer.text()).toMatch(/speech\.audio\.delta[\s\S]*speech\.audio\.done/);
    expect(await rowOf(user)).toMatchObject({ prompt: 14, completion: 101, quota: 14 + 202 });
  });

  test("in bytes for a model with tokens, which are then reckoned", async () => {
    const { user, openai } = await client();
    await openai.audio.speech.create({ model: "gpt-4o-mini-tts", voice: "alloy", input: "hello world" });
    expect(await rowOf(user)).toMatchObject({ prompt: 2, completion: 16, other: { estimated: true } });
  });
});

describe("OpenAI's client hears", () => {
  test("a file, charged by the seconds billed, or by those of its header", async () => {
    const { user, openai } = await client();
    const { text } = await openai.audio.transcriptions.create({ file: sound(), model: "whisper-1" });
    expect(text).toBe(TRANSCRIPT);
    expect(await rowOf(user)).toMatchObject({
      quota: 150,
      other: { meters: [{ meter: "second", quantity: 3, price: 0.0001 }] },
    });
    for (const format of ["srt", "vtt", "text", "verbose_json"] as const) {
      const one = await client();
      const answer = await one.openai.audio.transcriptions.create({
        file: sound(),
        model: "whisper-1",
        response_format: format,
      });
      if (format === "srt") expect(answer).toBe(SUBTITLES);
      expect(await rowOf(one.user)).toMatchObject({ quota: 150 });
    }
  });

  test("a file by tokens, streamed and not", async () => {
    const whole = await client();
    await whole.openai.audio.transcriptions.create({ file: sound(), model: "gpt-4o-transcribe" });
    const { user, openai } = await client();
    const stream = await openai.audio.transcriptions.create({
      file: sound(),
      model: "gpt-4o-transcribe",
      stream: true,
    });
    expect((await collect(stream)).map(({ type }) => type)).toEqual([
      "transcript.text.delta",
      "transcript.text.delta",
      "transcript.text.done",
    ]);
    for (const one of [whole.user, user]) {
      expect(await rowOf(one)).toMatchObject({ prompt: 24, completion: 9, other: { audio: true, audio_input: 20 } });
    }
  });

  test("a file in another language", async () => {
    const { user, openai } = await client();
    const { text } = await openai.audio.translations.create({ file: sound(), model: "whisper-1" });
    expect([text, sent()?.path]).toEqual([TRANSCRIPT, "/v1/audio/translations"]);
    expect(await rowOf(user)).toMatchObject({ quota: 150 });
  });
});
