import { describe, expect, test } from "vitest";
import { InvalidRequest } from "../../canonical/wire-error";
import { readFacts } from "./facts";

const messages = [{ role: "user", content: "hi" }];

test("what decides about a request is read from it, and nothing else is looked at", () => {
  expect(readFacts({ model: "m", messages, temperature: "odd", unknown: 1 })).toEqual({
    model: "m",
    isStream: false,
    completionTokensMax: null,
    choices: 1,
    attachments: {
      tokens: 0,
      audioTokens: 0,
      encodedBytes: 0,
      pictureBytes: 0,
      hasUnknownSize: false,
      hasStoredFiles: false,
      maySound: false,
    },
    writesAudio: false,
    asksToThink: false,
  });
  const json = { model: "m", messages, stream: true, max_tokens: 5, max_completion_tokens: 9, n: 3 };
  expect(readFacts(json)).toMatchObject({ isStream: true, completionTokensMax: 9, choices: 3 });
  expect(readFacts({ model: "m", messages, max_tokens: 0 })).toMatchObject({ completionTokensMax: null });
});

test("pictures, sounds and files are counted, and the bytes of those that are inline", () => {
  const content = [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "https://weir.example/a.png" } },
    { type: "image_url", image_url: "data:image/png;base64,AAAA" },
    { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    { type: "file", file: { file_data: "AAAAAA" } },
    null,
  ];
  expect(readFacts({ model: "m", messages: [{ role: "user", content }, null] }).attachments).toEqual({
    tokens: 5_000 + 5_000,
    audioTokens: 100,
    encodedBytes: 26 + 4 + 6,
    pictureBytes: 26,
    hasUnknownSize: true,
    hasStoredFiles: false,
    maySound: false,
  });
});

describe("what is no chat request is refused and says where", () => {
  test.each<[object, string, string]>([
    [{ messages }, "model must be a string", "model"],
    [{ messages, model: "" }, "model must be a name of 1 to 255 characters", "model"],
    [{ messages, model: "a\u0000" }, "model must be a name of 1 to 255 characters", "model"],
    [{ model: "m" }, "messages must be a list", "messages"],
    [{ model: "m", messages: [] }, "messages must be a list", "messages"],
    [{ model: "m", messages, stream: "yes" }, "stream must be true or false", "stream"],
    [{ model: "m", messages, max_tokens: 1.5 }, "max_tokens must be a whole number from 0 to 1073741824", "max_tokens"],
    [
      { model: "m", messages, max_completion_tokens: 2 ** 31 },
      "max_completion_tokens must be a whole number from 0 to 1073741824",
      "max_completion_tokens",
    ],
    [{ model: "m", messages, n: 0 }, "n must be a whole number from 1 to 128", "n"],
  ])("%o", (json, message, param) => {
    const refusal = catchError(() => readFacts({ ...json }));
    expect(refusal).toBeInstanceOf(InvalidRequest);
    expect(refusal).toMatchObject({ message, param });
  });
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
