import { contextWindow } from "@/lib/billing/context-window";
import { limitsOf } from "@/lib/billing/model-limits";
import type { OperationId } from "@/lib/operations";
import type { OptionValues } from "@/lib/option/registry";
import { RelayError } from "../../base/relay-error";
import type { ModelDetails } from "./model-details";

/** What the lists tell of models beside their names. */
export type ModelFacts = {
  options: OptionValues;
  purposeOf: (model: string) => OperationId | null;
  detailsOf: (model: string) => ModelDetails;
};

/** How a dialect's clients are told of models. `query`: of the list, without the client's key. */
export type ModelShape = {
  list(models: readonly string[], query: string, facts: ModelFacts): object;
  model(name: string, facts: ModelFacts): object;
};

const CREATED = 1_626_777_600;

const openai: ModelShape = {
  list: (models, _query, facts) => ({
    success: true,
    object: "list",
    data: models.map((model) => openaiModel(model, facts)),
  }),
  model: openaiModel,
};

function openaiModel(id: string, { detailsOf }: ModelFacts): object {
  const usual = { id, object: "model", created: CREATED, owned_by: "custom", permission: [], root: id, parent: null };
  return { ...usual, ...detailsOf(id) };
}

/** Anthropic gives the epoch where the date is not known. */
const UNKNOWN_DATE = "1970-01-01T00:00:00Z";
const PAGE = { usual: 20, most: 1_000 };

const anthropic: ModelShape = {
  list(models, query, facts) {
    const asked = new URLSearchParams(query);
    const limit = readCount(asked.get("limit"), "limit", 1, PAGE.most) ?? PAGE.usual;
    const before = placeOf(asked, "before_id", models);
    const after = placeOf(asked, "after_id", models);
    if (before !== null && after !== null) throw invalid("before_id and after_id cannot be given together", "after_id");
    const from = before === null ? (after ?? -1) + 1 : Math.max(0, before - limit);
    const to = before ?? Math.min(models.length, from + limit);
    const page = models.slice(from, to);
    return {
      data: page.map((model) => anthropicModel(model, facts)),
      has_more: before === null ? to < models.length : from > 0,
      first_id: page[0] ?? null,
      last_id: page.at(-1) ?? null,
    };
  },
  model: anthropicModel,
};

function anthropicModel(id: string, { options, detailsOf }: ModelFacts): object {
  const { output, isKnown } = limitsOf(id, options);
  const input = contextWindow(id);
  return {
    type: "model",
    id,
    display_name: id,
    created_at: UNKNOWN_DATE,
    ...(input === null ? {} : { max_input_tokens: input }),
    ...(isKnown ? { max_tokens: output } : {}),
    ...detailsOf(id),
  };
}

/** The place of the model that a cursor names; null = there is no such cursor. */
function placeOf(asked: URLSearchParams, cursor: string, models: readonly string[]): number | null {
  const id = asked.get(cursor);
  if (id === null || id === "") return null;
  const at = models.indexOf(id);
  if (at === -1) throw invalid(`${cursor} is not the id of a model`, cursor);
  return at;
}

const GOOGLE_PAGE = { usual: 50, most: 1_000 };

const google: ModelShape = {
  list(models, query, facts) {
    const asked = new URLSearchParams(query);
    const wanted = readCount(asked.get("pageSize"), "pageSize", 0, Number.MAX_SAFE_INTEGER);
    const size = Math.min(wanted || GOOGLE_PAGE.usual, GOOGLE_PAGE.most);
    const last = readPageToken(asked.get("pageToken"));
    // By name, so that a page stays what it is when models come and go.
    const rest = last === null ? models : models.filter((model) => model > last);
    const page = rest.slice(0, size);
    const end = page.at(-1);
    return {
      models: page.map((model) => googleModel(model, facts)),
      ...(end !== undefined && page.length < rest.length ? { nextPageToken: pageToken(end) } : {}),
    };
  },
  model: googleModel,
};

const METHODS: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  chat: ["generateContent", "streamGenerateContent", "countTokens"],
  embeddings: ["embedContent", "batchEmbedContents"],
};

function googleModel(id: string, { options, purposeOf, detailsOf }: ModelFacts): object {
  const { output, isKnown } = limitsOf(id, options);
  const input = contextWindow(id);
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: "",
    displayName: id,
    description: "",
    ...(input === null ? {} : { inputTokenLimit: input }),
    ...(isKnown ? { outputTokenLimit: output } : {}),
    supportedGenerationMethods: METHODS[purposeOf(id) ?? "chat"] ?? [],
    ...detailsOf(id),
  };
}

const pageToken = (model: string): string => Buffer.from(model).toString("base64url");

/** The last model of the page before; null = there is none. */
function readPageToken(token: string | null): string | null {
  if (token === null || token === "") return null;
  const model = Buffer.from(token, "base64url").toString("utf8");
  if (pageToken(model) !== token) throw invalid("pageToken is not one of this list", "pageToken");
  return model;
}

/** Null = not given. Throws 400. */
function readCount(text: string | null, name: string, least: number, most: number): number | null {
  if (text === null || text === "") return null;
  const count = Number(text);
  if (/^\d{1,15}$/.test(text) && count >= least && count <= most) return count;
  throw invalid(`${name} must be a whole number from ${least} to ${most}`, name);
}

function invalid(message: string, param: string): RelayError {
  return new RelayError("invalid_request", message, { param });
}

/** By the caller's dialect; OpenAI's for all others. */
const shapes: ReadonlyMap<string, ModelShape> = new Map([
  ["anthropic-messages", anthropic],
  ["gemini-generate-content", google],
]);

export function modelShapeOf(dialect: string): ModelShape {
  return shapes.get(dialect) ?? openai;
}
