import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { Base64Field } from "./base64-field";
import { ShortTexts } from "./short-texts";

/** The same bytes in pieces of this size. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(pieces);
}

describe("a file in the field of an answer", () => {
  const file = randomBytes(3_001);
  const answer = Buffer.from(
    JSON.stringify(
      { name: "a/b", response: { videos: [{ mimeType: "video/mp4", bytes: file.toString("base64") }] } },
      null,
      1,
    ),
  );

  test.each([1, 2, 3, 7, 64, 4_096, 100_000])("is the same in pieces of %i bytes", async (size) => {
    expect((await buffer(inPieces(answer, size).pipe(new Base64Field("bytes")))).equals(file)).toBe(true);
  });

  test.each(['{"name":"x"}', '{"bytes":null}x"', '{"bytes":"AAAA', ""])(
    "that is not there is an error: %s",
    async (given) => {
      const reading = buffer(Readable.from([Buffer.from(given)]).pipe(new Base64Field("bytes")));
      await expect(reading).rejects.toThrow("no file");
    },
  );
});

describe("an answer with long texts", () => {
  const whole = { a: "x".repeat(5_000), b: 'short " \\ text', c: [1, { d: "y".repeat(900) }], e: "é\n".repeat(30) };

  test.each([1, 3, 64, 100_000])("keeps its form and its short texts, in pieces of %i bytes", async (size) => {
    const cut = JSON.parse(
      await text(inPieces(Buffer.from(JSON.stringify(whole)), size).pipe(new ShortTexts(100))),
    ) as typeof whole;
    expect(cut).toEqual({ a: "x".repeat(100), b: whole.b, c: [1, { d: "y".repeat(100) }], e: cut.e });
    expect(whole.e.startsWith(cut.e.slice(0, 20))).toBe(true);
  });

  test("is cut before an escape and not within it", async () => {
    for (const max of [1, 2, 3, 4, 5]) {
      const given = JSON.stringify({ a: 'x\\"y\n"zzzz', b: 1 });
      expect(JSON.parse(await text(inPieces(Buffer.from(given), 2).pipe(new ShortTexts(max))))).toMatchObject({ b: 1 });
    }
  });
});
