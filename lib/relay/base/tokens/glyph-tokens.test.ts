import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { WrittenText } from "../../answers/text-length";
import { TextSampler } from "../../answers/text-sampler";
import { fourByteLength, tokensOfBytes, tokensOfUnit } from "./glyph-tokens";

/** Every seventh character that may be written, of all planes that have any. */
const CHARACTERS = Array.from({ length: Math.floor((0x1ffff - 0x80) / 7) }, (_, at) => 0x80 + at * 7)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
/** Characters of common scripts count as those that are in use: rare ones of them have more tokens. */
const SLACK = { 2: 2, 3: 1.5, 4: 1 } as const;

const mostOf = (character: string): number => {
  const bytes = Buffer.from(character);
  return tokensOfBytes(bytes[0] ?? 0, bytes[1] ?? 0);
};

describe("the most tokens that a character takes", () => {
  test("are as many as models count, and half of it at least for rare characters of common scripts", () => {
    const beyond = CHARACTERS.filter((one) => {
      const text = one.repeat(8);
      const bytes = Buffer.byteLength(one) as 2 | 3 | 4;
      const counted = Math.max(encodeO200k(text).length, encodeCl100k(text).length) / 8;
      return counted > mostOf(one) * (mostOf(one) < bytes ? SLACK[bytes] : 1);
    });
    expect(beyond).toEqual([]);
  });

  test("are the same by bytes and by units of UTF-16", () => {
    const byUnits = (one: string): number =>
      tokensOfUnit(one.charCodeAt(0)) + (one.length > 1 ? tokensOfUnit(one.charCodeAt(1)) : 0);
    expect(CHARACTERS.filter((one) => byUnits(one) !== mostOf(one))).toEqual([]);
  });
});

describe("the estimate of a stream's text", () => {
  const texts = ["All is well. ", "水は堰を静かに流れる", "𓀀𓂀𓆣", "ꀀꁀ", "Ωß–é", "🌊"];

  test("is the same however an answer is read, and is no less than what is counted", () => {
    for (const text of texts) {
      const passing = new WrittenText();
      passing.add(Buffer.from(JSON.stringify({ content: text })).toString("latin1"), ['"content"']);
      const sampler = new TextSampler();
      sampler.addEvent({ type: "text-delta", choice: 0, text } as never);
      expect([text, sampler.written.tokens]).toEqual([text, passing.tokens]);
      expect([text, passing.tokens >= encodeO200k(text).length]).toEqual([text, true]);
    }
  });

  test("of ASCII is a token for three bytes", () => {
    const written = new WrittenText();
    written.add('{"content":"123456789"}', ['"content"']);
    expect(written.tokens).toBe(3);
  });
});

test("characters of four bytes are found in a body", () => {
  expect(fourByteLength(Buffer.from("All is well, 水 é"))).toBe(0);
  expect(fourByteLength(Buffer.from("a𓀀𓂀b🌊"))).toBe(12);
});
