import fc from "fast-check";
import { expect, test } from "vitest";
import { SimilarPieces } from "./similar-pieces";

test("what was added comes back, whatever the pieces are (issue 12)", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }).map((text) => Buffer.from(`<${text}>`)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const kept = new SimilarPieces(65_536);
      for (const bytes of pieces) kept.add(Buffer.from(bytes));
      expect(kept.body()).toEqual(Buffer.concat(pieces));
    }),
  );
});

test("events of a stream take a fraction of their bytes, and too many are not kept (issue 12)", () => {
  const kept = new SimilarPieces(6_000);
  const event = (word: string): Buffer =>
    Buffer.from(
      `data: ${JSON.stringify({ id: "x".repeat(200), choices: [{ index: 0, delta: { content: word } }] })}\n\n`,
    );
  for (let i = 0; i < 300; i++) kept.add(event(` word ${i}`));
  expect(kept.body()?.length).toBeGreaterThan(70_000);
  for (let i = 0; i < 300; i++) kept.add(event(` word ${i}`));
  expect(kept.body()).toBeNull();
});

test("equal pieces do not grow without bound when they are asked for (issue 12)", () => {
  const kept = new SimilarPieces(1_024);
  for (let i = 0; i < 20; i++) kept.add(Buffer.alloc(1_024));
  expect(kept.body()).toBeNull();
});
