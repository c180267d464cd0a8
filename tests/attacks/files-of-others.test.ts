// All callers of a channel share one account at its upstream, so that an id is all it takes to read what another caller
// has stored there: a file, an answer, a picture that was drawn, a container. Every id in a request that names such a
// thing is looked up for its owner, wherever it stands, and nothing is asked of an upstream with one that is not his own.
// The places are those of the official SDKs' types; one that is new in them has no place here, and fails the first test.
import { readFileSync } from "node:fs";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RelayError } from "@/lib/relay/base/relay-error";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay } from "../relay/harness";
import { callTo } from "./request-samples";

const ID = "id-of-another";
const part = (values: Json) => ({ input: [{ role: "user", content: [values] }] });
const item = (values: Json) => ({ input: [values] });
const tool = (values: Json) => ({ tools: [values] });
const shell = (environment: Json) => tool({ type: "shell", environment });
const interpreter = tool({ type: "code_interpreter", container: { type: "auto", file_ids: [ID] } });
const mask = tool({ type: "image_generation", input_image_mask: { file_id: ID } });
const found = (tools: Json) => item({ type: "tool_search_output", ...tools });
const block = (values: Json) => ({ messages: [{ role: "user", content: [values] }] });

/** The interface and the field in the SDK's types → a request that has it. */
const PLACES: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  "openai/resources/responses/responses.d.ts": {
    "ResponseCreateParamsBase previous_response_id": { input: "a", previous_response_id: ID },
    "ResponseCreateParams.PromptCacheOptions comparison_response_id": {
      input: "a",
      prompt_cache_options: { comparison_response_id: ID },
    },
    "ContainerAuto file_ids": shell({ type: "container_auto", file_ids: [ID] }),
    "ContainerReference container_id": shell({ type: "container_reference", container_id: ID }),
    "ResponseContainerReference container_id": item({ type: "shell_call", environment: { container_id: ID } }),
    "ResponseCodeInterpreterToolCall container_id": item({ type: "code_interpreter_call", container_id: ID }),
    "ResponseComputerToolCallOutputScreenshot file_id": item({
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", file_id: ID },
    }),
    "ResponseInputFile file_id": part({ type: "input_file", file_id: ID }),
    "ResponseInputImage file_id": part({ type: "input_image", file_id: ID }),
    "ResponseInputFileContent file_id": item({
      type: "function_call_output",
      output: [{ type: "input_file", file_id: ID }],
    }),
    "ResponseInputImageContent file_id": item({
      type: "custom_tool_call_output",
      output: [{ type: "input_image", file_id: ID }],
    }),
    "Tool.CodeInterpreter.CodeInterpreterToolAuto file_ids": interpreter,
    "Tool.ImageGeneration.InputImageMask file_id": mask,
    "ResponseToolSearchOutputItemParam.CodeInterpreter.CodeInterpreterToolAuto file_ids": found(interpreter),
    "ResponseToolSearchOutputItemParam.ImageGeneration.InputImageMask file_id": found(mask),
  },
  "openai/resources/chat/completions/completions.d.ts": {
    "ChatCompletionContentPart.File.File file_id": block({ type: "file", file: { file_id: ID } }),
  },
  "openai/resources/videos.d.ts": {
    "ImageInputReferenceParam file_id": { prompt: "a", input_reference: { file_id: ID } },
  },
  "@anthropic-ai/sdk/resources/messages/messages.d.ts": {
    "FileDocumentSource file_id": block({ type: "document", source: { type: "file", file_id: ID } }),
    "FileImageSource file_id": block({ type: "image", source: { type: "file", file_id: ID } }),
    "ContainerUploadBlockParam file_id": block({ type: "container_upload", file_id: ID }),
    "CodeExecutionOutputBlockParam file_id": block({ type: "code_execution_tool_result", content: { file_id: ID } }),
    "BashCodeExecutionOutputBlockParam file_id": block({
      type: "bash_code_execution_tool_result",
      content: { content: [{ file_id: ID }] },
    }),
    "MessageCreateParamsBase user_profile_id": { ...block({ type: "text", text: "a" }), user_profile_id: ID },
  },
};
const PATHS: Readonly<Record<string, string>> = {
  "openai/resources/responses/responses.d.ts": "/v1/responses",
  "openai/resources/chat/completions/completions.d.ts": "/v1/chat/completions",
  "openai/resources/videos.d.ts": "/v1/videos",
  "@anthropic-ai/sdk/resources/messages/messages.d.ts": "/v1/messages",
};
/** Answers, events, what only sounds like it, and requests that are not served here. */
const NOT_READ = [
  /Event[. ]|^Response(\.| )|^Citation|^Video |^ResponsesClientEvent/,
  // What an answer cites, or found, is not fetched again.
  /^ResponseOutputText\.|^ResponseFileSearchToolCall\.Result/,
  // The operator's own: callers can make none, and tools that read them are refused unless he allows them.
  /^FileSearchTool vector_store_ids|skill_id$/,
  /^ResponseCompactParams|^MessageCountTokensParams/,
  /^(ContainerUploadBlock|CodeExecutionOutputBlock|BashCodeExecutionOutputBlock) /,
];
const NAME =
  /^\s+(\w*(?:file_ids?|container_id|vector_store_ids|skill_id|response_id|video_id|prompt_id|profile_id))\??:/;

/** The fields of an SDK's types that name something stored, each with its interface. */
function fieldsIn(file: string): string[] {
  const source = readFileSync(new URL(`../../node_modules/${file}`, import.meta.url), "utf8");
  const fields = new Set<string>();
  const within: string[] = [];
  for (const line of source.replace(/\/\*\*[\s\S]*?\*\//g, "").split("\n")) {
    const opened = line.split("{").length - line.split("}").length;
    const [, name = ""] = /(?:interface|namespace|class) (\w+)/.exec(line) ?? [];
    for (let i = 0; i < opened; i++) within.push(i === 0 ? name : "");
    const [, field] = NAME.exec(line) ?? [];
    if (field) fields.add(`${within.filter(Boolean).join(".")} ${field}`);
    for (let i = 0; i < -opened; i++) within.pop();
  }
  return [...fields].filter((field) => !NOT_READ.some((pattern) => pattern.test(field)));
}

test.each(Object.keys(PLACES))("the places of %s are all here", (file) => {
  expect(fieldsIn(file).sort()).toEqual(Object.keys(PLACES[file] ?? {}).sort());
});

/** Places that the types do not have by such a name. */
const OTHERS: readonly (readonly [string, Json])[] = [
  ["/v1/responses", { input: "a", conversation: ID }],
  ["/v1/responses", { input: "a", conversation: { id: ID } }],
  ["/v1/responses", { input: "a", prompt: { id: ID } }],
  ["/v1/responses", { input: "a", prompt: { id: ID, variables: { Any: { type: "input_file", file_id: ID } } } }],
  ["/v1/responses", item({ type: "input_file", file_id: ID })],
  ["/v1/responses", item({ type: "item_reference", id: ID })],
  ["/v1/responses", item({ id: ID })],
  ["/v1/responses", item({ type: "image_generation_call", id: ID, status: "completed", result: null })],
  ["/v1/responses", item({ type: "reasoning", id: ID, summary: [] })],
  ["/v1/responses", item({ type: "reasoning", summary: [], content: [{ type: "input_file", file_id: ID }] })],
  ["/v1/responses", { input: "a", tools: [{ type: "code_interpreter", container: ID }] }],
  ["/v1/responses", { input: "a", unknown_field: { deeper: [{ file_id: ID }] } }],
  ["/v1/responses", { input: { role: "user", content: { type: "input_file", file_id: ID } } }],
  ["/v1/chat/completions", block({ type: "image", image: { file_id: ID } })],
  ["/v1/images/edits", { prompt: "a", images: [{ file_id: ID }] }],
  ["/v1/images/edits", { prompt: "a", image: { file_id: ID } }],
  ["/v1/images/edits", { prompt: "a", images: [{ image_url: "https://x.example/a.png" }], mask: { file_id: ID } }],
  ["/v1/images/generations", { prompt: "a", images: [{ file_id: ID }] }],
  ["/v1/embeddings", { input: [{ type: "input_file", file_id: ID }] }],
  ["/v1/messages", block({ type: "tool_result", tool_use_id: "t", content: [{ source: { file_id: ID } }] })],
];
const fromTypes = Object.entries(PLACES).flatMap(([file, places]) =>
  Object.values(places).map((json) => [PATHS[file] ?? "", json] as const),
);

/** The ids that are looked up before anybody is asked, or the field that the request is refused for. */
function lookedUp(path: string, json: Json, allowedOptions: string[]): unknown {
  const call = { ...callTo(path), allowedOptions };
  const body = Buffer.from(JSON.stringify({ model: "cheap", max_tokens: 5, ...json }));
  try {
    const intake = call.operation.read(body, call);
    return intake instanceof Promise ? null : intake.references?.map(({ id }) => id);
  } catch (error) {
    if (error instanceof RelayError && error.status === 400) return "refused";
    throw error;
  }
}

test.each([...fromTypes, ...OTHERS])("%s: looked up or refused: %j", (path, json) => {
  expect(["refused", [ID]]).toContainEqual(uniqueOf(lookedUp(path, { input: undefined, ...json }, [])));
  // What an operator allows is looked up all the same, but for the operator's own prompts.
  const allowed = lookedUp(path, json, ["tools", "prompt", "container"]);
  if (!("prompt" in json && typeof json.prompt === "object" && !JSON.stringify(json).includes("variables"))) {
    expect(["refused", [ID]]).toContainEqual(uniqueOf(allowed));
  }
});

function uniqueOf(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value)] : value;
}

describe("on the wire", () => {
  const MODEL = "gpt-4.1";
  const relay = setUpRelay({ prices: MODEL });
  let storage: FakeStorage;
  let mine: OpenAI;
  let headers: Record<string, string>;
  let theirs: { file: string; response: string; item: string };

  beforeAll(async () => {
    storage = await startFakeStorage();
    await relay.addChannel({ baseUrl: storage.url, setting: '{"speaks_responses":true}', models: MODEL });
    await relay.inForce();
    const clients = await Promise.all([relay.addCaller(), relay.addCaller()]);
    const [owner, thief] = clients.map(({ token }) => {
      return new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    });
    if (!owner || !thief) throw new Error("two callers are needed");
    mine = thief;
    headers = { authorization: `Bearer ${clients[1]?.token.key}`, "content-type": "application/json" };
    const file = await owner.files.create({ file: await toFile(Buffer.from("secret"), "a.txt"), purpose: "user_data" });
    const { id, output } = await owner.responses.create({ model: MODEL, input: "Hello" });
    theirs = { file: file.id, response: id, item: output[0]?.id ?? "" };
  });
  afterAll(() => storage.close());

  test("what another caller stored is not found, at any place, and no upstream is asked", async () => {
    const asked = storage.calls.length;
    for (const [path, json] of [...fromTypes, ...OTHERS]) {
      for (const id of Object.values(theirs)) {
        const body = JSON.stringify({ model: MODEL, max_tokens: 5, ...json }).replaceAll(ID, id);
        const reply = await fetch(`${relay.url}${path}`, { method: "POST", headers, body });
        const text = await reply.text();
        expect([400, 404], `${path} ${body} ${text}`).toContain(reply.status);
      }
    }
    expect(storage.calls.length).toBe(asked);
  });

  test("what a caller stored himself is used", async () => {
    const file = await mine.files.create({ file: await toFile(Buffer.from("mine"), "b.txt"), purpose: "user_data" });
    const answer = await mine.responses.create({
      model: MODEL,
      input: [{ role: "user", content: [{ type: "input_file", file_id: file.id }] }],
    });
    expect(answer.output_text).not.toBe("");
    expect(String(storage.calls.at(-1)?.body)).toContain(file.id);
  });
});
