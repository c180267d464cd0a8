import { expect, test } from "vitest";
import { rulesOf } from "@/lib/model-rules/rules-of";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { rows } from ".";

const needsResponses = (model: string, json: object, asksToThink = false): boolean | undefined =>
  rows
    .get(CHANNEL_TYPE.openai)
    ?.quirks.speaksResponses?.only?.(model, { ...json }, { asksToThink }, rulesOf(model, "openai"));
const tools = [{ type: "function" }];

test.each<[string, object, boolean, boolean]>([
  ["o1-pro", {}, false, true],
  ["gpt-5-codex", {}, false, true],
  ["gpt-5.5", { tools }, false, true],
  ["gpt-5.10-mini", { tools }, false, true],
  ["gpt-5.5", {}, true, false],
  ["gpt-5.5", { tools, reasoning_effort: "none" }, true, false],
  ["gpt-5.5-chat-latest", { tools }, true, false],
  ["gpt-5.4", { tools }, true, true],
  ["gpt-5.4", { tools }, false, false],
  ["gpt-5.1", { tools }, true, false],
  ["gpt-4o", { tools }, true, false],
  ["gpt-6", { tools }, false, true],
  ["gpt-6-luna", { tools, reasoning_effort: "none" }, true, false],
  ["gpt-6-astra", { tools, reasoning_effort: "none" }, true, true],
  ["gpt-6.1-sol", { tools }, false, true],
  ["gpt-6.2-terra", { tools }, false, true],
  ["gpt-7-mini", { tools }, false, true],
  ["gpt-6", {}, true, false],
  ["gpt-6-pro", {}, false, true],
])("%s with %j, asked to think: %s, is asked in the Responses API alone: %s", (model, json, thinks, expected) => {
  expect(needsResponses(model, json, thinks)).toBe(expected);
});
