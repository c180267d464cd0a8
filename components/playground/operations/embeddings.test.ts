import { expect, test } from "vitest";
import { cosine, isKeptEmbedded, keepEmbedded, readEmbeddings, readLines } from "./embeddings";

test("texts stand one on each line; empty lines are none", () => {
  expect(readLines(" a \n\n b\r\n")).toEqual(["a", "b"]);
});

test("the cosine of two vectors", () => {
  expect(cosine([1, 0], [0, 1])).toBe(0);
  expect(cosine([1, 2], [2, 4])).toBeCloseTo(1);
  expect(cosine([1, 0], [-3, 0])).toBe(-1);
  expect(cosine([0, 0], [1, 1])).toBe(0);
});

test("vectors are found by their index, whatever their order", () => {
  const json = {
    data: [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [1, 0] },
    ],
  };
  const read = readEmbeddings(json, ["a", "b"]);
  expect(read?.texts).toEqual([
    { text: "a", dimensions: 2, first: [1, 0] },
    { text: "b", dimensions: 2, first: [0, 2] },
  ]);
  expect(read?.similarity).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test("an answer without a vector for each text is none", () => {
  for (const json of [
    {},
    { data: "x" },
    { data: [{ embedding: [1] }] },
    { data: [{ embedding: [1] }, { embedding: "x" }] },
  ])
    expect(readEmbeddings(json, ["a", "b"])).toBeNull();
});

test("the history keeps no whole vectors, and what it cannot read is not shown", () => {
  const vector = Array.from({ length: 1536 }, (_, at) => at);
  const read = readEmbeddings({ data: [{ embedding: vector }] }, ["a"]);
  const kept = JSON.parse(JSON.stringify(read && keepEmbedded(read)));
  expect(JSON.stringify(kept).length).toBeLessThan(200);
  expect(isKeptEmbedded(kept)).toBe(true);
  for (const value of [null, {}, { texts: [{}], similarity: [] }, { texts: [], similarity: [["x"]] }])
    expect(isKeptEmbedded(value)).toBe(false);
});
