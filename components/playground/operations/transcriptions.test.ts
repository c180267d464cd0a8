import { expect, test } from "vitest";
import type { Answer } from "./call-operation";
import { keepTranscript, readSegments, readTranscript, toForm, toTranscriptionFields } from "./transcriptions";

const unset = { language: "", format: "", prompt: "", temperature: "", isStreamed: false };
const texts = { none: "none" };
const json = (value: Record<string, unknown>): Answer => ({ kind: "json", requestId: "r", json: value });

async function* eventsOf(list: Record<string, unknown>[]) {
  for (const one of list) yield { event: "message", data: "", json: one };
}

test("only fields that are set are sent, and the file after them", () => {
  expect(toTranscriptionFields("m", unset, undefined)).toEqual({ model: "m" });
  const fields = toTranscriptionFields("m", { ...unset, language: " de ", format: "srt", isStreamed: true }, 0);
  expect(fields).toEqual({ model: "m", language: "de", response_format: "srt", temperature: "0", stream: "true" });
  expect([...toForm(fields, new File(["x"], "a.mp3")).keys()].at(-1)).toBe("file");
});

test("the text is read from each kind of answer", async () => {
  const read = (answer: Answer, format = "") => readTranscript(answer, format, texts, () => {});
  expect((await read(json({ text: "hello" }))).text).toBe("hello");
  expect((await read(json({ text: "" }))).text, "nothing was said").toBe("");
  expect((await read({ kind: "text", requestId: "r", text: "1\n00:00" }, "srt")).text).toBe("1\n00:00");
  const body = new Blob(["WEBVTT"]).stream();
  expect((await read({ kind: "bytes", requestId: "r", contentType: "application/x", body }, "vtt")).text).toBe(
    "WEBVTT",
  );
  await expect(read(json({ error: 1 }))).rejects.toMatchObject({ message: "none", requestId: "r" });
});

test("a streamed text grows and ends as the upstream says at last", async () => {
  const seen: string[] = [];
  const events = eventsOf([
    { type: "transcript.text.delta", delta: "hel" },
    { type: "transcript.text.delta", delta: "lo" },
    { type: "transcript.text.done", text: "Hello." },
  ]);
  const transcript = await readTranscript({ kind: "events", requestId: null, events }, "", texts, ({ text }) =>
    seen.push(text),
  );
  expect(seen).toEqual(["hel", "hello", "Hello."]);
  expect(transcript.text).toBe("Hello.");
});

test("a verbose answer has segments, a broken one has none; the history keeps a bounded text", () => {
  const raw = JSON.stringify({ segments: [{ start: 0, end: 1.5, text: " hi" }, { start: "x" }, null] });
  expect(readSegments({ text: "", raw, format: "verbose_json" })).toEqual([{ start: 0, end: 1.5, text: "hi" }]);
  expect(readSegments({ text: "", raw: "<", format: "verbose_json" })).toEqual([]);
  expect(keepTranscript({ text: "x".repeat(100_000), raw: "", format: "json" }).text).toHaveLength(50_000);
});
