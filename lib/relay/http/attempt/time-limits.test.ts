import { expect, test } from "vitest";
import { defaultOptions, type OptionValues, parseOption } from "@/lib/option/registry";
import { timeLimitsOf } from "./time-limits";

function withModels(map: object, more: Partial<OptionValues> = {}): OptionValues {
  return { ...defaultOptions(), UpstreamModelLimits: parseOption("UpstreamModelLimits", JSON.stringify(map)), ...more };
}

test("a fresh install has the limits that the documentation names", () => {
  expect(timeLimitsOf(defaultOptions(), "m", null)).toEqual({
    connect: 5_000,
    firstByte: 15_000,
    firstByteWhole: 120_000,
    firstToken: 10_000,
    alone: 300_000,
    idle: 30_000,
    whole: 600_000,
    stream: 3_600_000,
  });
});

test("a model's own entry goes before the longest beginning that fits, and a channel's before both", () => {
  const options = withModels({ "o1*": { first_byte: 40 }, "o1-p*": { first_byte: 60 }, "o1-pro": { first_byte: 90 } });
  const firstByte = (model: string) => timeLimitsOf(options, model, null).firstByte;
  expect(["o1-pro", "o1-preview", "o1", "gpt-4o"].map(firstByte)).toEqual([90_000, 60_000, 40_000, 15_000]);
  const ofChannel = timeLimitsOf(options, "o1-pro", { first_byte: 7 });
  expect([ofChannel.firstByte, ofChannel.idle]).toEqual([7_000, 30_000]);
});

test("0 takes a limit away, but connecting keeps one", () => {
  const limits = timeLimitsOf(withModels({ m: { idle: 0 } }, { UpstreamConnectSeconds: 0 }), "m", { whole: 0 });
  expect([limits.idle, limits.whole, limits.connect]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    30_000,
  ]);
});

test.each(['{"m":{"first":1}}', '{"m":{"idle":-1}}', '{"m":{"idle":"5"}}', '{"m":5}', "[]"])(
  "limits of models that cannot be read are refused: %s",
  (text) => {
    expect(() => parseOption("UpstreamModelLimits", text)).toThrow();
  },
);
