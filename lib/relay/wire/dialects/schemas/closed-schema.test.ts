import { describe, expect, test } from "vitest";
import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { dialects, upstreamsOnly } from "..";
import { closedSchema } from "./closed-schema";

const open = { type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } };
const closed = {
  type: "object",
  properties: { a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: false } },
  additionalProperties: false,
};

describe("a schema for Claude, which refuses objects with other properties and bounds", () => {
  test("has its objects closed", () => {
    expect(closedSchema(open, {})).toEqual(closed);
    expect(closedSchema(closed, {})).toEqual(closed);
  });

  test("has its bounds in descriptions and anyOf for oneOf", () => {
    const bounded = {
      type: "array",
      minItems: 2,
      items: { oneOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
    };
    expect(closedSchema(bounded, {})).toEqual({
      type: "array",
      description: "(minItems: 2)",
      items: { anyOf: [{ type: "integer", description: "(minimum: 1)" }, { type: "null" }] },
    });
    expect(closedSchema({ type: "array", minItems: 1 }, {})).toEqual({ type: "array", minItems: 1 });
  });

  test("has no word of OpenAPI's for what tells alternatives apart, as Pydantic writes it", () => {
    const given = { oneOf: [closed, { type: "null" }], discriminator: { propertyName: "a" } };
    expect(closedSchema(given, {})).toEqual({ anyOf: [closed, { type: "null" }] });
  });

  test("has no list of one part, as Pydantic writes it beside a description", () => {
    const $defs = { A: closed };
    const given = { type: "object", properties: { a: { allOf: [{ $ref: "#/$defs/A" }], description: "An a" } }, $defs };
    const a = { $ref: "#/$defs/A", description: "An a" };
    expect(closedSchema(given, {})).toEqual({ ...given, properties: { a }, additionalProperties: false });
  });

  test.each<[string, Json]>([
    ["an object of any properties", { type: "object", properties: { a: { type: "object" } } }],
    ["a map", { type: "object", properties: {}, additionalProperties: { type: "string" } }],
    ["itself", { type: "object", properties: { next: { $ref: "#" } } }],
    ["parts that hold together", { allOf: [open, { type: "object", properties: { c: { type: "string" } } }] }],
    ["a word that is not taken", { type: "string", not: { const: "a" } }],
  ])("cannot be said with %s", (_name, schema) => {
    expect(closedSchema(schema, {})).toBeNull();
  });

  test("that is as deep as a caller likes is refused without a full stack", () => {
    let schema: Json = { type: "string" };
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: "array", items: schema };
    expect(closedSchema(schema, {})).toBeNull();
  });
});

describe.each(["anthropic-messages", "bedrock-invoke"])("a JSON answer asked of %s", (id) => {
  const upstream = dialects.get(id)?.upstream ?? upstreamsOnly.get(id)?.upstream;
  const encode = (model: string, schema: Json): Json | undefined => {
    const request: ChatRequest = {
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: "a" }] }],
      isStream: false,
      responseFormat: { type: "json-schema", name: "r", schema },
    };
    return upstream?.encode(request, {
      model,
      canReportStreamUsage: true,
      systemPrompt: { text: "", isForced: false },
    });
  };

  test.each(["claude-sonnet-4-5-20250929", "claude-opus-4-6", "claude-haiku-4-5", "claude-sonnet-5"])(
    "is held to the schema by %s",
    (model) => {
      expect(encode(model, open)).toMatchObject({ output_config: { format: { type: "json_schema", schema: closed } } });
      expect(encode(model, open)).not.toHaveProperty("system");
    },
  );

  test.each([
    ["claude-3-7-sonnet-20250219", open],
    ["claude-sonnet-4-20250514", open],
    ["us.anthropic.claude-opus-4-20250514-v1:0", open],
    ["claude-opus-4-1", open],
    ["claude-sonnet-4-5", { type: "object" }],
  ])("is asked for in words of %s, which would refuse the schema", (model, schema) => {
    const body = encode(model, schema);
    expect(body).not.toHaveProperty("output_config");
    expect(body?.system).toContain(JSON.stringify(schema));
  });
});
