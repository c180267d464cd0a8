import { expect, test } from "vitest";
import { findChannelTypeNumbers, isChecked } from "./channel-type-numbers";

const linesOf = (path: string, source: string) => findChannelTypeNumbers(path, source).map(({ line }) => line);

test.each([
  "if (channel.type === 14) retry();",
  "if (14 !== draft.type) retry();",
  "const path = channel.type === GEMINI ? a : b;",
  "const type = channel?.channelType ?? 1;",
  "classify({ channelType: 14 });",
  "switch (channel.type) { case 14: break; }",
  "const where = eq(channels.type, 14);",
  "const where = inArray(channels.type, [2, 5]);",
  "const is = [2, 5].includes(channel.type);",
  "const row = rows.get(14);",
  "await tx.insert(channels).values([{ name: 'x', type: 43 }]);",
])("a channel type that goes by its number is found in any product code: %s", (source) => {
  expect(linesOf("lib/jobs/some-job.ts", source)).toEqual([1]);
});

test.each([
  "const GEMINI_TYPE = 24;",
  "export const UNTESTABLE_TYPES: readonly number[] = [2, 5, 36];",
  "const offers = new Map([[14, CLAUDE], [15, ERNIE]]);",
  "const silent = new Set([2, 5]);",
  "const hues = { 1: 'green', 14: 'indigo' } as const;",
  "const isEmbedding = (type: number) => type === 44;",
  "const input = { type: 1 };",
])("so are constants and tables where code is about channels: %s", (source) => {
  expect(linesOf("lib/channel/some-command.ts", source)).toEqual([1]);
});

test.each([
  ["lib/log/queries.ts", "if (log.type === 5) count({ type: 2 });"],
  ["lib/relay/net/socks-connector.ts", "connect({ type: 5 });"],
  ["lib/channel/types.ts", "export const CHANNEL_STATUS = { enabled: 1, disabled: 2 } as const;"],
  ["components/channel/channel-status.tsx", 'const hue = { 1: "green", 2: "grey", 3: "yellow" }[status];'],
  ["lib/channel/state.ts", "if (channel.status === 1) retry(new Set([401, 403]));"],
  ["components/channel/type-select.tsx", "const shown = types.filter((type) => type !== value);"],
  ["lib/channel/queries.ts", "const same = rows.get(channel.type)?.test === null;"],
  ["server/demo/seed-demo.ts", "await tx.insert(channels).values({ type: CHANNEL_TYPE.deepseek });"],
  ["lib/relay/wire/canonical/events.ts", 'if (part.type === "tool-call") calls += 1;'],
])("other numbers and other types are left alone: %s", (path, source) => {
  expect(linesOf(path, source)).toEqual([]);
});

test("the catalogue, tests and fixtures may use numbers, product code may not", () => {
  expect(["lib/channel/queries.ts", "components/channel/type-select.tsx"].every(isChecked)).toBe(true);
  const free = [
    "lib/provider-catalogue/channel-type-ids.ts",
    "lib/channel/x.test.ts",
    "lib/testing/x.ts",
    "tools/bench/x.ts",
  ];
  expect(free.some(isChecked)).toBe(false);
});
