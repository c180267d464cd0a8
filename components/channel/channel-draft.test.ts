import { expect, test } from "vitest";
import { editorFieldsByType } from "@/lib/channel/type-views";
import { USUAL_FIELDS } from "@/lib/provider-catalogue/editor-fields";
import { toChannelInput, toDraft } from "./channel-draft";
import { TEMPLATES } from "./channel-templates";
import { isKeyWellFormed } from "./key-form";
import { hueOfTime } from "./last-test";

const fieldsOf = (type: number) => editorFieldsByType()[type] ?? USUAL_FIELDS;

test("each type has the fields of its own (B052, B056, B057, B059, B060, B061, B062, B063, B064)", () => {
  expect(fieldsOf(3)).toMatchObject({ address: "azure", other: "version" });
  expect(fieldsOf(41)).toMatchObject({ address: "none", other: "region" });
  expect([18, 21, 39, 49].map((type) => fieldsOf(type).other)).toEqual(["spark", "library", "account", "bot"]);
  expect([22, 36, 8, 1].map((type) => fieldsOf(type).address)).toEqual(["private", "suno", "full", "mirror"]);
});

test("a key of several parts needs all of them on every line; a service account is a JSON object", () => {
  expect(isKeyWellFormed(fieldsOf(23), "1|2|3\n4|5|6")).toBe(true);
  expect(isKeyWellFormed(fieldsOf(23), "1|2|3\n4|5")).toBe(false);
  expect(isKeyWellFormed(fieldsOf(15), "a|")).toBe(false);
  expect(isKeyWellFormed(fieldsOf(41), "{not json")).toBe(false);
  expect(isKeyWellFormed(fieldsOf(41), TEMPLATES.serviceAccount)).toBe(true);
  expect(isKeyWellFormed(fieldsOf(1), "sk-a|b")).toBe(true);
});

test.each([
  [33, "ak|sk|us-east-1|token", true],
  [33, "api-key|us-east-1", true],
  [33, "ak", false],
  [3, "0123456789abcdef", true],
  [3, "tenant|client|secret", true],
  [3, "tenant|client", false],
  [41, "AIza-key", true],
  [41, "two words", false],
])("a key of type %i may have other forms: %s (%s)", (type, key, isGood) => {
  expect(isKeyWellFormed(fieldsOf(type), key)).toBe(isGood);
});

test("priority and weight are read as whole numbers, nothing as 0, and Spark's version falls back (B059, B180)", () => {
  const draft = { ...toDraft(null, 18), priority: "3.7", weight: "" };
  expect(toChannelInput(draft, fieldsOf(18))).toMatchObject({
    priority: 3,
    weight: 0,
    other: "v2.1",
    autoBan: 1,
    group: "default",
  });
});

test("a new channel is of the first type, in the group default, with automatic disabling on (A228)", () => {
  expect(toDraft(null, 1)).toMatchObject({ type: 1, groups: ["default"], autoBan: true, models: [] });
});

test("the templates hold the required examples (A229)", () => {
  expect(JSON.parse(TEMPLATES.modelMapping)).toEqual({ "gpt-3.5-turbo": "gpt-3.5-turbo-0125" });
  expect(JSON.parse(TEMPLATES.statusCodeMapping)).toEqual({ "400": "500" });
  expect(JSON.parse(TEMPLATES.setting)).toEqual({ force_format: true });
});

test("response times change colour above 1, 3 and 5 seconds (B291)", () => {
  const hues = [1, 1_000, 1_001, 3_000, 3_001, 5_000, 5_001].map(hueOfTime);
  expect(hues).toEqual(["green", "green", "lime", "lime", "yellow", "yellow", "red"]);
});
