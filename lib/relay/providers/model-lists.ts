import { z } from "zod";
import { bearer } from "./auth";
import type { ModelList } from "./channel-type";

const id = z.string().min(1).max(255);
const MODELS_MAX = 10_000;
const ids = z.object({ data: z.array(z.object({ id })).max(MODELS_MAX) });
const names = z.object({ models: z.array(z.object({ name: id })).max(MODELS_MAX) });

const readIds = (answer: unknown): string[] => ids.parse(answer).data.map((model) => model.id);

/** OpenAI's list format, which most upstreams use, at this path. */
export const openaiModels = (path: string): ModelList => ({ path, read: readIds });

/** Gemini's list in OpenAI's format. */
export const geminiModels: ModelList = { path: "/v1beta/openai/models", auth: bearer, read: readIds };

export const cohereModels: ModelList = {
  path: "/v1/models?page_size=1000",
  read: (answer) => names.parse(answer).models.map(({ name }) => name),
};

export const ollamaModels: ModelList = {
  path: "/api/tags",
  read: (answer) => names.parse(answer).models.map(({ name }) => name),
};

/** Under the account of a Cloudflare channel. */
export const cloudflarePath = (account: string): string =>
  `/client/v4/accounts/${encodeURIComponent(account.trim())}/ai`;

const found = z.object({
  result: z.array(z.object({ name: id, task: z.object({ name: z.string() }).nullish() })).max(MODELS_MAX),
});
const WORKERS_AI_TASKS = ["Text Generation", "Text Embeddings"];

export const workersAiModels: ModelList = {
  path: (account) => `${cloudflarePath(account)}/models/search?per_page=100`,
  read: (answer) =>
    found
      .parse(answer)
      .result.filter(({ task }) => WORKERS_AI_TASKS.includes(task?.name ?? ""))
      .map(({ name }) => name),
};
