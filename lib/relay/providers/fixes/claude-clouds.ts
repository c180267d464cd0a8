import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import type { Edits } from "../../wire/dialects/dialect";

/** A flag of `anthropic-beta` that a cloud knows: its name there, and for which models alone it is taken. */
type BetaFlag = { flag: string; sent?: string; models?: RegExp; source: string; read: string };

/** What a cloud that serves Claude knows of Anthropic's requests; it refuses a request with anything else. */
export type ClaudeCloud = {
  betas: readonly BetaFlag[];
  /** The flags are a field of the body; absent = they are a header. */
  betasInBody?: true;
  /** Fields of the body. */
  fields: ReadonlySet<string>;
  /** Fields of a tool that the caller runs. */
  toolFields: ReadonlySet<string>;
  outputFields: ReadonlySet<string>;
  cacheFields: ReadonlySet<string>;
};

const LITELLM = "https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json";
const THINKING = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking";
const TOOL_SEARCH = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool";
const READ = "2026-11-28";

/** With other models the clouds refuse a request that has this flag; later ones think between calls without it. */
const INTERLEAVED: BetaFlag = {
  flag: "interleaved-thinking-2025-05-14",
  models: /claude-(?:(?:opus|sonnet)-4(?![.\d])|3-7|4-(?:opus|sonnet))/,
  source: THINKING,
  read: READ,
};

const LONG_CONTEXT: BetaFlag = { flag: "context-1m-2025-08-07", source: LITELLM, read: READ };

const COMMON: readonly BetaFlag[] = [
  INTERLEAVED,
  ...["context-management-2025-06-27", "compact-2026-01-12", "computer-use-2025-01-24", "computer-use-2025-11-24"].map(
    (flag) => ({ flag, source: LITELLM, read: READ }),
  ),
  LONG_CONTEXT,
  { flag: "tool-search-tool-2025-10-19", source: TOOL_SEARCH, read: READ },
  { flag: "advanced-tool-use-2025-11-20", sent: "tool-search-tool-2025-10-19", source: TOOL_SEARCH, read: READ },
];

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, and the errors in
 * https://github.com/BerriAI/litellm/issues/19984 and https://github.com/QuantumNous/new-api/issues/2975 */
export const VERTEX: ClaudeCloud = {
  betas: [...COMMON, { flag: "web-search-2025-03-05", source: LITELLM, read: READ }],
  fields: new Set([
    ...["anthropic_version", "anthropic_beta", "max_tokens", "messages", "metadata", "output_config", "stop_sequences"],
    ...["stream", "system", "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p", "context_management"],
  ]),
  toolFields: new Set([...["type", "name", "description", "input_schema", "strict", "cache_control", "defer_loading"]]),
  outputFields: new Set(["effort", "format"]),
  cacheFields: new Set(["type", "ttl"]),
};

/**
 * Requests to Bedrock are translated, so that only flags for which no field is needed mean something there.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
export const BEDROCK: ClaudeCloud = {
  ...VERTEX,
  betas: [INTERLEAVED, LONG_CONTEXT],
  betasInBody: true,
  fields: new Set([...VERTEX.fields].filter((field) => field !== "metadata" && field !== "stream")),
};

/** The flags that the cloud knows, by its own names for them. */
function knownBetas(flags: readonly string[], model: string, { betas }: ClaudeCloud): string[] {
  const sent = flags.flatMap((given) => {
    const known = betas.find(({ flag }) => flag === given.trim());
    return known && (known.models?.test(model) ?? true) ? [known.sent ?? known.flag] : [];
  });
  return [...new Set(sent)];
}

const HEADER = "anthropic-beta";

/** Headers of a request to the cloud, with the flags that it knows. */
export function cloudHeaders(headers: readonly string[], model: string, cloud: ClaudeCloud): string[] {
  return headers.flatMap((value, at) => {
    if (at % 2 === 0) return [];
    const name = headers[at - 1] ?? "";
    if (name !== HEADER) return [name, value];
    const known = cloud.betasInBody ? [] : knownBetas(value.split(","), model, cloud);
    return known.length > 0 ? [name, known.join(",")] : [];
  });
}

/** The flags among the headers, by the cloud's own names. */
export function betasIn(headers: readonly string[], model: string, cloud: ClaudeCloud): string[] {
  const at = headers.indexOf(HEADER);
  return at === -1 ? [] : knownBetas((headers[at + 1] ?? "").split(","), model, cloud);
}

/** Only with one of these does Anthropic take `context_management`. */
const MANAGES_CONTEXT = /^(?:context-management|compact)-/;

/** Changes to the body of a request in Anthropic's format, so that the cloud knows everything in it. `betas`: as they are sent. */
export function cloudEdits(json: Readonly<Json>, betas: readonly string[], model: string, cloud: ClaudeCloud): Edits {
  const edits: Edits = {};
  for (const field of Object.keys(json)) if (!cloud.fields.has(field)) edits[field] = undefined;
  const own = knownBetas(readArray(json.anthropic_beta).map(readText), model, cloud);
  const inBody = cloud.betasInBody ? [...new Set([...betas, ...own])] : own;
  if (inBody.length > 0) edits.anthropic_beta = inBody;
  else if (json.anthropic_beta !== undefined) edits.anthropic_beta = undefined;
  if (json.context_management !== undefined && ![...betas, ...own].some((flag) => MANAGES_CONTEXT.test(flag))) {
    edits.context_management = undefined;
  }
  Object.assign(edits, outputEdits(json, cloud));
  for (const field of ["system", "messages"]) {
    const cleaned = withoutUnknownMarks(json[field], cloud);
    if (cleaned !== json[field]) edits[field] = cleaned;
  }
  if (Array.isArray(json.tools)) {
    const tools = json.tools.map((tool) => knownTool(readObject(tool), cloud));
    if (tools.some((tool, at) => tool !== readArray(json.tools)[at])) edits.tools = tools;
  }
  return edits;
}

/** `output_format` is the older name of `output_config.format`. */
function outputEdits({ output_config: given, output_format: format }: Readonly<Json>, cloud: ClaudeCloud): Edits {
  if (given === undefined && format === undefined) return {};
  const kept = only(readObject(given), cloud.outputFields);
  const config: Json = format === undefined || format === null ? kept : { format, ...kept };
  if (config === given) return {};
  return { output_config: Object.keys(config).length > 0 ? config : undefined };
}

function only(value: Json, fields: ReadonlySet<string>): Json {
  const entries = Object.entries(value);
  const known = entries.filter(([name]) => fields.has(name));
  return known.length === entries.length ? value : Object.fromEntries(known);
}

function knownTool(tool: Json, cloud: ClaudeCloud): Json {
  const isOwn = (tool.type ?? "custom") === "custom";
  const kept = isOwn ? only(tool, cloud.toolFields) : tool;
  return withMark(kept, cloud);
}

/** Only `cache_control` of the object itself, so that the schema of a tool stays as it is. */
function withMark(value: Json, { cacheFields }: ClaudeCloud): Json {
  if (value.cache_control === undefined || value.cache_control === null) return value;
  const mark = readObject(value.cache_control);
  const kept = only(mark, cacheFields);
  return kept === mark ? value : { ...value, cache_control: kept };
}

/** `caller` says whether the model or its code made a call; the clouds do not know the field. */
function withoutCaller(block: Json): Json {
  if (block.type !== "tool_use" || block.caller === undefined) return block;
  const { caller: _, ...rest } = block;
  return rest;
}

/** Blocks and their inner blocks with marks that the cloud knows; the same value where nothing changes. */
function withoutUnknownMarks(value: unknown, cloud: ClaudeCloud): unknown {
  if (Array.isArray(value)) {
    const cleaned = value.map((item) => withoutUnknownMarks(item, cloud));
    return cleaned.some((item, at) => item !== value[at]) ? cleaned : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const block = withMark(withoutCaller(value as Json), cloud);
  const { content, source } = block;
  const cleaned = typeof content === "object" ? withoutUnknownMarks(content, cloud) : content;
  const inner = typeof source === "object" ? withoutUnknownMarks(source, cloud) : source;
  if (cleaned === content && inner === source) return block;
  return {
    ...block,
    ...(content === undefined ? {} : { content: cleaned }),
    ...(source === undefined ? {} : { source: inner }),
  };
}
