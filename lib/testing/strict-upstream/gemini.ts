import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { findGeminiFault } from "../tool-schema-rules";
import { findShapeFault } from "./fault";
import { imageConfig } from "./pictures";
import { type Asked, COMPLETION_TOKENS, type Format, PROMPT_TOKENS, piecesOf, type Turn } from "./turn";

// Google's generateContent. Unknown fields are errors there, so also here.

const SIGNED = Buffer.from("strict");
const sign = (thought: string): string =>
  Buffer.concat([SIGNED, createHmac("sha256", "strict").update(thought).digest()]).toString("base64");
/** What Google's documentation gives for calls of other models, and the beginning of one that LangChain gives. */
const UNSIGNED = "skip_thought_signature_validator";
const FOREIGN = "ErYCCrMCAdHtim9kOoOkrPiCNVsmlpMIKd7ZMxgi";
const isSigned = (signature: string): boolean =>
  signature === UNSIGNED ||
  signature.startsWith(FOREIGN) ||
  Buffer.from(signature, "base64").subarray(0, SIGNED.length).equals(SIGNED);

const TYPES = ["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const type = z.string().refine((text) => TYPES.includes(text.toUpperCase()));
const limit = z.union([z.string().regex(/^\d+$/), z.int()]).optional();
const own: z.ZodType = z.lazy(() =>
  z.strictObject({
    ...{ type: type.optional(), format: z.string().optional(), title: z.string().optional() },
    ...{ description: z.string().optional(), nullable: z.boolean().optional(), enum: z.array(z.string()).optional() },
    ...{ maxItems: limit, minItems: limit, minLength: limit, maxLength: limit, minProperties: limit },
    ...{
      maxProperties: limit,
      pattern: z.string().optional(),
      example: z.unknown().optional(),
      default: z.unknown().optional(),
    },
    ...{ minimum: z.number().optional(), maximum: z.number().optional(), items: own.optional() },
    properties: z.record(z.string(), own).optional(),
    required: z.array(z.string()).optional(),
    propertyOrdering: z.array(z.string()).optional(),
    anyOf: z.array(own).optional(),
    additionalProperties: z.unknown().optional(),
  }),
);
const blob = z.strictObject({
  mimeType: z.string().regex(/^\w+\/[\w.+-]+$/),
  data: z.string().regex(/^[A-Za-z0-9+/_-]+=*$/),
  displayName: z.string().optional(),
});
const part = z
  .strictObject({
    text: z.string().optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
    inlineData: blob.optional(),
    fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
    functionCall: z
      .strictObject({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.unknown()).optional() })
      .optional(),
    functionResponse: z
      .strictObject({
        id: z.string().optional(),
        name: z.string().min(1),
        response: z.record(z.string(), z.unknown()),
        parts: z.array(z.strictObject({ inlineData: blob })).optional(),
      })
      .optional(),
  })
  .refine(({ text, inlineData, fileData, functionCall, functionResponse }) => {
    return [text, inlineData, fileData, functionCall, functionResponse].filter((one) => one !== undefined).length === 1;
  }, "required oneof field 'data' must have one initialized field");
const declaration = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/),
    description: z.string().optional(),
    parameters: own.optional(),
    parametersJsonSchema: z.looseObject({}).optional(),
    response: own.optional(),
    responseJsonSchema: z.looseObject({}).optional(),
    behavior: z.string().optional(),
  })
  .refine(
    (one) => !one.parameters || !one.parametersJsonSchema,
    "parameters and parametersJsonSchema exclude each other",
  );
const config = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(0).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  stopSequences: z.array(z.string().min(1)).max(5).optional(),
  seed: z.int().optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  responseMimeType: z.enum(["text/plain", "application/json", "text/x.enum"]).optional(),
  responseSchema: own.optional(),
  responseJsonSchema: z.looseObject({}).optional(),
  responseModalities: z.array(z.enum(["TEXT", "IMAGE", "AUDIO"])).optional(),
  imageConfig: imageConfig.optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().optional(),
      thinkingLevel: z
        .string()
        .regex(/^(minimal|low|medium|high)$/i)
        .optional(),
    })
    .optional(),
});
export const generateContentRequest = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(["user", "model"]).optional(), parts: z.array(part).min(1) })).min(1),
  systemInstruction: z.strictObject({ role: z.string().optional(), parts: z.array(part).min(1) }).optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(declaration).min(1).optional(),
        googleSearch: z.strictObject({}).optional(),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
        allowedFunctionNames: z.array(z.string()).optional(),
      }),
    })
    .optional(),
  safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
  generationConfig: config.optional(),
});
type Request = z.infer<typeof generateContentRequest>;
type Part = z.infer<typeof part>;

function read(json: unknown, url: string): Asked | string {
  const fault = findShapeFault(generateContentRequest, json);
  if (fault !== null) return fault;
  const asked = json as Request;
  const model = decodeURIComponent(/models\/([^/:?]+):/.exec(url)?.[1] ?? "");
  return findConflict(asked) ?? findTurnFault(asked, model) ?? toAsked(asked, model, url.includes(":stream"));
}

function findConflict({ generationConfig: given = {}, tools = [] }: Request): string | null {
  const { responseSchema, responseJsonSchema, responseMimeType = "text/plain", thinkingConfig: thinking } = given;
  if ((responseSchema || responseJsonSchema) && responseMimeType === "text/plain") {
    return "generationConfig: a response schema needs the response mime type application/json";
  }
  if (thinking?.thinkingBudget !== undefined && thinking.thinkingLevel !== undefined) {
    return "generationConfig.thinkingConfig: thinking_budget and thinking_level exclude each other";
  }
  for (const { parameters } of tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)) {
    const fault = findGeminiFault(parameters);
    if (fault !== null) return `tools.function_declarations.${fault}`;
  }
  const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  return new Set(names).size === names.length ? null : "tools: Duplicate function declaration found";
}

/** Results follow their calls, one for each; the first call of each step has its signature from Gemini 3 on. */
function findTurnFault({ contents }: Request, model: string): string | null {
  if (contents[0]?.role === "model") return "contents: the first content must be of the user";
  const lastUser = contents.findLastIndex((content) => isUsers(content));
  let open = 0;
  for (const [i, { role = "user", parts }] of contents.entries()) {
    const results = parts.filter(({ functionResponse }) => functionResponse).length;
    const isFit = results > 0 ? results <= open : open === 0;
    if (!isFit) return `contents.${i}: ${open} function responses must follow as many function calls`;
    const calls = parts.filter(({ functionCall }) => functionCall);
    // Clients may send each result by itself.
    open = role === "model" ? calls.length : open - results;
    if (role === "user" && calls.length > 0) return `contents.${i}: a function call of the user`;
    const [first] = calls;
    const signature = first?.thoughtSignature;
    const mustSign = first !== undefined && i > lastUser && /gemini-3/.test(model);
    if (mustSign && signature === undefined) return `contents.${i}: Function call is missing a thought_signature`;
    const wrong = parts.find(({ thoughtSignature: given }) => given && !isSigned(given));
    if (wrong) return `contents.${i}: Thought signature is not valid`;
  }
  return open === 0 ? null : "contents: the last content must not be a function call";
}

const isUsers = ({ role = "user", parts }: Request["contents"][number]): boolean =>
  role === "user" && !parts.every(({ functionResponse }) => functionResponse);
const textsOf = (parts: readonly Part[] = []) => parts.flatMap(({ text }) => (text === undefined ? [] : [text]));

function toAsked({ contents, ...rest }: Request, model: string, isStream: boolean): Asked {
  const lastUser = contents.findLastIndex(isUsers);
  const { responseJsonSchema, responseSchema, thinkingConfig: thinking } = rest.generationConfig ?? {};
  const calling = rest.toolConfig?.functionCallingConfig;
  const declared = (rest.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const all = contents.flatMap(({ parts }) => parts);
  return {
    format: "gemini-generate-content",
    model,
    isStream,
    isThinking: thinking?.includeThoughts === true,
    system: textsOf(rest.systemInstruction?.parts).join("\n"),
    prompt: textsOf(contents[lastUser]?.parts).join("\n"),
    tools: declared.map((one) => ({
      name: one.name,
      schema: one.parametersJsonSchema ?? (one.parameters as object) ?? {},
    })),
    forced: calling?.mode === "NONE" ? "" : (calling?.allowedFunctionNames?.[0] ?? null),
    schema: responseJsonSchema ?? (responseSchema as object | undefined) ?? null,
    results: all.flatMap(resultOf),
    images: all.filter(({ inlineData }) => inlineData?.mimeType.startsWith("image/")).length,
  };
}

function resultOf({ functionResponse }: Part): string[] {
  if (!functionResponse) return [];
  const { output, result, content } = functionResponse.response;
  const told = [output, result, content].find((value) => typeof value === "string");
  return [typeof told === "string" ? told : JSON.stringify(functionResponse.response)];
}

const USAGE = {
  promptTokenCount: PROMPT_TOKENS,
  candidatesTokenCount: COMPLETION_TOKENS,
  totalTokenCount: PROMPT_TOKENS + COMPLETION_TOKENS,
};

/** Gemini 3 signs the first call of a step, whether its thoughts are told or not. */
function partsOf({ thought, text, calls = [] }: Turn): Part[] {
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, input }, i) => ({
      functionCall: { name, args: input as Record<string, unknown> },
      ...(i === 0 ? { thoughtSignature: sign(thought ?? name) } : {}),
    })),
  ];
}

function answer(parts: readonly Part[], model: string, isLast: boolean, responseId: string = randomUUID()): object {
  const candidate = { content: { parts, role: "model" }, ...(isLast ? { finishReason: "STOP" } : {}), index: 0 };
  return { candidates: [candidate], usageMetadata: USAGE, modelVersion: model, responseId };
}

function renderStream(turn: Turn, { model }: Asked) {
  const pieces = partsOf(turn).flatMap((one): Part[] =>
    one.text === undefined ? [one] : piecesOf(one.text).map((text) => ({ ...one, text })),
  );
  const id = randomUUID();
  const event = (parts: readonly Part[], isLast: boolean) =>
    `data: ${JSON.stringify(answer(parts, model, isLast, id))}\r\n\r\n`;
  const events = pieces.map((piece, i) => event([piece], i === pieces.length - 1));
  return { events, again: event([{ text: turn.text ?? "" }], false) };
}

const STATUSES = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [429, "RESOURCE_EXHAUSTED"],
]);

export const geminiGenerateContent: Format = {
  id: "gemini-generate-content",
  path: /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)$/,
  read,
  renderWhole: (turn, { model }) => answer(partsOf(turn), model, true),
  renderStream,
  renderError: (status, message) => ({ error: { code: status, message, status: STATUSES.get(status) ?? "INTERNAL" } }),
};
