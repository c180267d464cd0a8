import { describe, expect, test } from "vitest";
import { type ChannelSetting, readSetting } from "./channel-setting";

type Field = keyof ChannelSetting;
const flags: [string, Field][] = [
  ["force_format", "forceFormat"],
  ["thinking_to_content", "thinkingToContent"],
  ["pass_through_body_enabled", "passThroughBody"],
  ["system_prompt_override", "systemPromptOverride"],
  ["takes_prefill", "takesPrefill"],
  ["speaks_responses", "speaksResponses"],
  ["allow_stored_files", "allowsStoredFiles"],
];
const texts: [string, Field][] = [
  ["proxy", "proxy"],
  ["system_prompt", "systemPrompt"],
];
/** One value of every kind that JSON has. */
const anything = [undefined, null, true, false, 0, 1, "", "true", " text ", [], ["polling"], {}, { idle: 5 }];

const read = (name: string, value: unknown) => readSetting({ [name]: value });
const defaults: ChannelSetting = {
  forceFormat: false,
  thinkingToContent: false,
  passThroughBody: false,
  proxy: "",
  systemPrompt: "",
  systemPromptOverride: false,
  takesPrefill: false,
  speaksResponses: false,
  allowsStoredFiles: false,
  keyMode: "polling",
  cost: { factor: 1, prices: {} },
  timeLimits: null,
};

describe("the setting of a channel takes of every field what it can use, and else its default", () => {
  test.each(flags)("%s is a switch", (name, field) => {
    for (const value of anything) expect(read(name, value)).toEqual({ ...defaults, [field]: value === true });
  });

  test.each(texts)("%s is a text without space around it", (name, field) => {
    for (const value of anything) {
      expect(read(name, value)).toEqual({ ...defaults, [field]: typeof value === "string" ? value.trim() : "" });
    }
  });

  test("keys are taken in rotation unless at random is asked for", () => {
    for (const value of [...anything, "polling", "Random"]) expect(read("multi_key_mode", value)).toEqual(defaults);
    expect(read("multi_key_mode", "random").keyMode).toBe("random");
  });

  test("time limits are taken when all of them can be used", () => {
    for (const value of [{}, { idle: 5 }, { idle: 0, whole: 86_400 }]) {
      expect(read("time_limits", value)).toEqual({ ...defaults, timeLimits: value });
    }
    for (const value of [null, [], "5", { idle: "5" }, { idle: -1 }, { idle: 5, other: 1 }]) {
      expect(read("time_limits", value)).toEqual(defaults);
    }
  });

  test("JSON that is no object has no field, and does not say what its upstream takes", () => {
    for (const json of [null, [], "text", 5] as unknown as Record<string, unknown>[]) {
      expect(readSetting(json)).toEqual({ ...defaults, cost: { factor: null, prices: {} } });
    }
  });
});
