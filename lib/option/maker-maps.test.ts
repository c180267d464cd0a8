import { expect, test } from "vitest";
import { checkOptionText } from "./check";
import { hintsOf } from "./definition";
import { definitionOf, type OptionKey, optionRegistry } from "./registry";

/** Texts that some of these options take, and that others do not. */
const texts = [
  ...["{", "[]", "null", "1", "{}", '{"default": 8192}', '{"default": 0}', '{"default": 1.5}', '{"": 1}'],
  ...['{"default": "v1"}', '{"default": "v1beta/x"}', '{"default": "OFF"}', '{"HARM_CATEGORY_X": "OFF"}'],
  ...['{"m": {}}', '{"m": {"x-a": "b"}}', '{"m": {"x-a": ["b", "c"]}}', '{"m": {"x-a": [1]}}', '{"m": {"x a": "b"}}'],
  ...[
    '{"m": {"Authorization": "b"}}',
    '{"m": {"content-length": "1"}}',
    '{"m": {"x-a": "b\\nc"}}',
    '{"m": {"x-a": ""}}',
  ],
];

test.each([
  ["claude.default_max_tokens", ["{}", '{"default": 8192}']],
  ["gemini.version_settings", ["{}", '{"default": "v1"}']],
  ["gemini.safety_settings", ["{}", '{"default": "OFF"}', '{"HARM_CATEGORY_X": "OFF"}']],
  ["claude.model_headers_settings", ["{}", '{"m": {}}', '{"m": {"x-a": "b"}}', '{"m": {"x-a": ["b", "c"]}}']],
] as const)("%s takes what an upstream can be sent, in the browser as on the server", (key: OptionKey, taken) => {
  const option = { choices: [], ...hintsOf(definitionOf(key)) };
  expect(texts.filter((text) => checkOptionText(option, text) === null)).toEqual(taken);
  expect(texts.filter((text) => optionRegistry[key].schema.safeParse(text).success)).toEqual(taken);
});
