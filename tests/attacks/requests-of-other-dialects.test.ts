// A client writes what its own API takes, and an upstream of another format refuses it: a message between a call and its
// result, a text of white space, a schema with alternatives at its root, a name with dots, arguments that are empty.
// Every caller is tried against every format, by the rules of each provider.
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type Json, readArray, readObject } from "@/lib/relay/wire/canonical/json";
import { findRootFault } from "@/lib/testing/tool-schema-rules";
import { type Place, sentTo, WITH_TOOLS } from "./sent-requests";

const MODEL = "m";

type Written = { path: string; json: Json };
type ToolOf = { name: string; description?: string; parameters?: Json; strict?: boolean };
/** A conversation with one call, and what stands between it and its result. */
type Told = { tools: ToolOf[]; called?: string; input?: Json; isBare?: true; between?: string; question?: string };

const PLAIN = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };

/** The same conversation, as each kind of caller writes it. */
const CALLERS: Readonly<Record<string, (told: Told) => Written>> = {
  "openai-chat": ({ tools, called, input = {}, isBare, between, question = "hi" }) => {
    const values = isBare ? "" : JSON.stringify(input);
    const call = { id: "call_1", type: "function", function: { name: called, arguments: values } };
    const messages = [
      { role: "user", content: question },
      ...(called === undefined ? [] : [{ role: "assistant", content: null, tool_calls: [call] }]),
      ...(between === undefined ? [] : [{ role: "user", content: between }]),
      ...(called === undefined ? [] : [{ role: "tool", tool_call_id: "call_1", content: "42" }]),
    ];
    return {
      path: "/v1/chat/completions",
      json: { model: MODEL, messages, tools: tools.map((one) => ({ type: "function", function: one })) },
    };
  },
  "openai-responses": ({ tools, called, input = {}, isBare, between, question = "hi" }) => {
    const values = isBare ? "" : JSON.stringify(input);
    const items = [
      { role: "user", content: question },
      ...(called === undefined ? [] : [{ type: "function_call", call_id: "call_1", name: called, arguments: values }]),
      ...(between === undefined ? [] : [{ role: "user", content: between }]),
      ...(called === undefined ? [] : [{ type: "function_call_output", call_id: "call_1", output: "42" }]),
    ];
    return {
      path: "/v1/responses",
      json: { model: MODEL, input: items, tools: tools.map((one) => ({ type: "function", ...one })) },
    };
  },
  "anthropic-messages": ({ tools, called, input = {}, between, question = "hi" }) => {
    const messages = [
      { role: "user", content: question },
      ...(called === undefined
        ? []
        : [{ role: "assistant", content: [{ type: "tool_use", id: "call_1", name: called, input }] }]),
      ...(between === undefined ? [] : [{ role: "user", content: between }]),
      ...(called === undefined
        ? []
        : [{ role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "42" }] }]),
    ];
    const written = tools.map(({ parameters, ...one }) => ({ ...one, input_schema: parameters ?? { type: "object" } }));
    return { path: "/v1/messages", json: { model: MODEL, max_tokens: 100, messages, tools: written } };
  },
  "gemini-generate-content": ({ tools, called, input = {}, between, question = "hi" }) => {
    const contents = [
      { role: "user", parts: [{ text: question }] },
      ...(called === undefined
        ? []
        : [{ role: "model", parts: [{ functionCall: { id: "call_1", name: called, args: input } }] }]),
      ...(between === undefined ? [] : [{ role: "user", parts: [{ text: between }] }]),
      ...(called === undefined
        ? []
        : [
            { role: "user", parts: [{ functionResponse: { id: "call_1", name: called, response: { output: "42" } } }] },
          ]),
    ];
    const functionDeclarations = tools.map(({ parameters, strict: _, ...one }) => ({
      ...one,
      parametersJsonSchema: parameters,
    }));
    return { path: `/v1beta/models/${MODEL}:generateContent`, json: { contents, tools: [{ functionDeclarations }] } };
  },
};

/** Requests in the upstream's own format pass as they are: their client is told by the upstream what it refuses. */
function isOwn(caller: string, { type, model }: Place, name: string): boolean {
  const isAnthropics = type === CHANNEL_TYPE.anthropic || (type === CHANNEL_TYPE.vertex && model.startsWith("claude"));
  if (caller === "anthropic-messages") return isAnthropics;
  return caller === "gemini-generate-content" ? model.startsWith("gemini") : caller === name;
}

const all = Object.keys(CALLERS).flatMap((caller) =>
  Object.entries(WITH_TOOLS).map(([name, place]) => ({ caller, name, place })),
);
const translated = all.filter(({ caller, place, name }) => !isOwn(caller, place, name));
/** OpenAI's format is that of many servers, so that messages in it are mended for them, too. */
const mended = all.filter((pair) => pair.caller === "openai-chat" || translated.includes(pair));

async function outcome(caller: string, place: Place, told: Told): Promise<{ fault: string | null; body: Json }> {
  const { path, json } = (CALLERS[caller] as (told: Told) => Written)(told);
  const { body, headers } = await sentTo(place, path, json);
  return { fault: place.fault(body, headers), body };
}

const weather: ToolOf = { name: "get_weather", description: "Weather", parameters: PLAIN };

describe.each(mended)("$caller → $name: the conversation", ({ caller, place }) => {
  test("a result follows its call, whatever stands between them", async () => {
    const told: Told = { tools: [weather], called: "get_weather", input: { place: "Bern" }, between: "And hurry" };
    const { fault, body } = await outcome(caller, place, told);
    expect(fault).toBeNull();
    const text = JSON.stringify(body);
    expect([text.includes("And hurry"), text.includes("42")]).toEqual([true, true]);
  });

  test("a call without arguments has an empty object", async () => {
    const told: Told = { tools: [weather], called: "get_weather", isBare: true };
    const { fault, body } = await outcome(caller, place, told);
    expect(fault).toBeNull();
    expect(JSON.stringify(body)).not.toMatch(/"arguments":""/i);
  });
});

describe.each(translated)("$caller → $name: the parts", ({ caller, place }) => {
  test("a text of white space alone is sent as an empty one is", async () => {
    const { fault } = await outcome(caller, place, { tools: [weather], question: " \n\t" });
    expect(fault).toBeNull();
  });

  test("a schema with alternatives is not said to be one that is kept to, where that is refused", async () => {
    const told: Told = { tools: [{ ...weather, parameters: SHAPES["anyOf beside properties"] as Json, strict: true }] };
    const { fault } = await outcome(caller, place, told);
    expect(fault).toBeNull();
  });

  test("names of tools are such as the upstream takes, each another one, the same in tools and history", async () => {
    const long = `mcp__${"a".repeat(80)}`;
    const names = ["docs.search", "docs_search", long, `${long}b`, "1st", "a/b", "größe"];
    // Google's callers can name no others.
    const given = caller === "gemini-generate-content" ? names.slice(0, 2) : names;
    const told: Told = {
      tools: given.map((one) => ({ ...weather, name: one })),
      called: "docs.search",
      input: { place: "b" },
    };
    const { body, fault } = await outcome(caller, place, told);
    expect(fault).toBeNull();
    const sent = new Set(namesIn(body));
    expect(sent.size).toBe(given.length);
    for (const one of sent) expect(one.length).toBeLessThanOrEqual(64);
  });
});

/** What tools are called in a request of any format. */
function namesIn(body: Json): string[] {
  const read = (tool: unknown): string[] => {
    const given = readObject(tool);
    const { functionDeclarations: declared } = given;
    if (declared !== undefined) return readArray(declared).flatMap(read);
    const { name, Name } = readObject(given.function ?? given.Function ?? given.toolSpec ?? given);
    return [String(name ?? Name)];
  };
  const { tools, Tools, functions, toolConfig, parameters } = body;
  const lists = [tools, Tools, functions, readObject(toolConfig).tools, readObject(parameters).tools];
  return lists.flatMap((list) => readArray(list).flatMap(read));
}

const variant = (kind: string, field: string): Json => ({
  type: "object",
  properties: { action: { const: kind }, [field]: { type: "string" } },
  required: ["action", field],
});
const SHAPES: Readonly<Record<string, Json>> = {
  oneOf: { oneOf: [variant("create", "title"), variant("delete", "id")] },
  "anyOf beside properties": {
    type: "object",
    properties: { action: { type: "string" }, title: { type: "string" }, id: { type: "string" } },
    anyOf: [{ required: ["action", "title"] }, { required: ["action", "id"] }],
  },
  "allOf with references": {
    type: "object",
    allOf: [{ $ref: "#/$defs/Base" }, { oneOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }] }],
    $defs: {
      Base: { type: "object", properties: { action: { type: "string" } }, required: ["action"] },
      A: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      B: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
  },
  "a reference at the root": {
    $ref: "#/$defs/Args",
    $defs: { Args: { oneOf: [variant("create", "title"), variant("delete", "id")] } },
  },
};

describe.each(translated)("$caller → $name: alternatives at the root", ({ caller, place }) => {
  test.each(Object.keys(SHAPES))("%s: merged into the root, and told", async (shape) => {
    const told: Told = { tools: [{ ...weather, parameters: SHAPES[shape] as Json }] };
    const { fault, body } = await outcome(caller, place, told);
    expect(fault).toBeNull();
    const schema = JSON.parse(JSON.stringify(rootOf(body))) as { properties: Json; required: string[] };
    expect(findRootFault(schema)).toBeNull();
    expect(Object.keys(schema.properties).toSorted()).toEqual(["action", "id", "title"]);
    expect(schema.required).toEqual(["action"]);
    expect(JSON.stringify(body)).toMatch(/exactly one of these|at least one of these/);
  });
});

/** The parameters of the first tool in a request of any format. */
function rootOf(body: Json): unknown {
  const seen: unknown[] = [];
  const visit = (value: unknown, key: string): void => {
    if (["parameters", "input_schema", "json", "parametersJsonSchema", "Parameters"].includes(key)) {
      const schema = typeof value === "string" ? JSON.parse(value) : value;
      if (readObject(schema).properties !== undefined) seen.push(schema);
    }
    if (Array.isArray(value)) for (const one of value) visit(one, "");
    else for (const [name, one] of Object.entries(readObject(value))) visit(one, name);
  };
  visit(body, "");
  return seen[0];
}

const BOUNDED: Json = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 1, maximum: 9, description: "How many" },
    tags: { type: "array", items: { type: "string", maxLength: 4 }, minItems: 2, maxItems: 5, uniqueItems: true },
    when: { type: "string", format: "unix-time" },
    place: { $ref: "#/$defs/Place" },
  },
  required: ["count", "tags", "when", "place"],
  additionalProperties: false,
  $defs: { Place: { type: "object", properties: { x: { type: "number", exclusiveMinimum: 0 } }, required: ["x"] } },
};

const CLAUDES = Object.entries(WITH_TOOLS).filter(([, { model }]) => model.startsWith("claude"));
const strictPairs = ["openai-chat", "openai-responses"].flatMap((caller) =>
  CLAUDES.map(([name, place]) => ({ caller, name, place })),
);

describe.each(strictPairs)("$caller → $name: a tool whose schema is to be kept to", ({ caller, name, place }) => {
  const toolOf = (body: Json): Json => readObject(readArray(body.tools)[0]);

  test("has its bounds in descriptions, at every depth, and its objects closed", async () => {
    const { fault, body } = await outcome(caller, place, {
      tools: [{ ...weather, parameters: BOUNDED, strict: true }],
    });
    expect(fault).toBeNull();
    if (name === "an older Claude") return;
    const { strict, input_schema: schema } = toolOf(body);
    expect(strict).toBe(true);
    expect(schema).toMatchObject({
      properties: {
        count: { type: "integer", description: "How many (minimum: 1, maximum: 9)" },
        tags: { description: "(minItems: 2, maxItems: 5, uniqueItems: true)" },
        when: { description: '(format: "unix-time")' },
      },
      $defs: { Place: { additionalProperties: false, properties: { x: { description: "(exclusiveMinimum: 0)" } } } },
    });
  });

  test("goes without that word where it cannot be said: inside itself, open, with objects to choose from", async () => {
    const inside = {
      type: "object",
      properties: { next: { $ref: "#/$defs/N" } },
      $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } } } },
    };
    const open = { type: "object", properties: { any: { type: "object", additionalProperties: { type: "string" } } } };
    const chosen = { type: "object", properties: { a: { enum: [{ b: 1 }] } } };
    for (const parameters of [inside, open, chosen]) {
      const { fault, body } = await outcome(caller, place, { tools: [{ ...weather, parameters, strict: true }] });
      expect(fault).toBeNull();
      expect(toolOf(body)).not.toHaveProperty("strict");
      expect(toolOf(body).input_schema).toMatchObject(parameters);
    }
  });

  test("goes without that word where there are more than Anthropic takes", async () => {
    const tools = Array.from({ length: 25 }, (_, i) => ({ ...weather, name: `tool_${i}`, strict: true }));
    const { fault, body } = await outcome(caller, place, { tools });
    expect(fault).toBeNull();
    const strict = readArray(body.tools).filter((tool) => readObject(tool).strict === true);
    expect(strict).toHaveLength(name === "an older Claude" ? 0 : 20);
  });
});

/** Blank texts in all places, and two calls whose results come late and in another order, with words between them. */
const ELABORATE: Readonly<Record<string, Written>> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    json: {
      model: MODEL,
      tools: [{ type: "function", function: weather }],
      messages: [
        { role: "system", content: " " },
        {
          role: "user",
          content: [
            { type: "text", text: " " },
            { type: "text", text: "\n" },
          ],
        },
        { role: "assistant", content: "\n\n" },
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: " ",
          tool_calls: ["call_1", "call_2"].map((id) => ({
            id,
            type: "function",
            function: { name: "get_weather", arguments: " " },
          })),
        },
        { role: "tool", tool_call_id: "call_2", content: " " },
        { role: "assistant", content: "Wait" },
        { role: "user", content: "And hurry" },
        { role: "tool", tool_call_id: "call_1", content: "42" },
        { role: "user", content: "Well?" },
      ],
    },
  },
  "openai-responses": {
    path: "/v1/responses",
    json: {
      model: MODEL,
      instructions: " ",
      tools: [{ type: "function", ...weather }],
      input: [
        { role: "user", content: [{ type: "input_text", text: " " }] },
        { role: "assistant", content: "\n\n" },
        { role: "user", content: "hi" },
        ...["call_1", "call_2"].map((id) => ({
          type: "function_call",
          call_id: id,
          name: "get_weather",
          arguments: "",
        })),
        { type: "function_call_output", call_id: "call_2", output: " " },
        { role: "assistant", content: "Wait" },
        { role: "developer", content: "Be quick" },
        { type: "function_call_output", call_id: "call_1", output: "42" },
        { role: "user", content: "Well?" },
      ],
    },
  },
};

describe.each(mended.filter(({ caller }) => ELABORATE[caller]))("$caller → $name: all of it", ({ caller, place }) => {
  test("blank texts everywhere, and results that come late and in another order", async () => {
    const { path, json } = ELABORATE[caller] as Written;
    const { body, headers } = await sentTo(place, path, json);
    expect(place.fault(body, headers)).toBeNull();
    const text = JSON.stringify(body);
    for (const said of ["Wait", "Well?", "42"]) expect(text).toContain(said);
  });
});
