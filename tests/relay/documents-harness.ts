import { afterAll, beforeAll } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { countTokens } from "@/lib/relay/base/tokens/count-tokens";
import { type DocumentUpstream, startDocumentUpstream } from "@/lib/testing/fake-documents";
import { type Relay, setUpRelay, until } from "./harness";

/** A channel to one of the fake's providers. `name`: the first part of its path, and the beginning of its models' names. */
export type Provider = { name: string; type: number; other?: string; key?: string };

export const PROVIDERS = {
  openai: { name: "openai", type: CHANNEL_TYPE.openai },
  azure: { name: "azure", type: CHANNEL_TYPE.azure },
  numbers: { name: "numbers", type: CHANNEL_TYPE.xinference },
  jina: { name: "jina", type: CHANNEL_TYPE.jina },
  moka: { name: "moka", type: CHANNEL_TYPE.moka },
  cloudflare: { name: "cloudflare", type: CHANNEL_TYPE.cloudflare, other: "acc" },
  mistral: { name: "mistral", type: CHANNEL_TYPE.mistral },
  ollama: { name: "ollama", type: CHANNEL_TYPE.ollama },
  gemini: { name: "gemini", type: CHANNEL_TYPE.gemini },
  cohere: { name: "cohere", type: CHANNEL_TYPE.cohere },
  dashscope: { name: "dashscope", type: CHANNEL_TYPE.dashscope },
  ernie: { name: "ernie", type: CHANNEL_TYPE.ernie, key: "id|secret" },
  siliconflow: { name: "siliconflow", type: CHANNEL_TYPE.siliconflow },
  xinference: { name: "xinference", type: CHANNEL_TYPE.xinference },
  deepseek: { name: "deepseek", type: CHANNEL_TYPE.deepseek },
} satisfies Record<string, Provider>;

export type Documents = Relay & { documents: DocumentUpstream };

/** Models: a channel of that provider has them. All cost one quota per prompt token and two per completion token. */
export function setUpDocuments(
  models: readonly (readonly [Provider, string])[],
  options: Record<string, unknown> = {},
) {
  const relay = setUpRelay({
    prices: [...new Set(models.map(([, model]) => model))].join(","),
    options: { RetryTimes: "2", ...options },
    channels: [],
  }) as Documents;
  beforeAll(async () => {
    relay.documents = await startDocumentUpstream();
    // The first count loads its tables, which may take longer than a request waits.
    await until(async () => (await countTokens(["hello world"], "any")) === 2, 10_000);
    for (const [at, [{ name, type, other = "", key = "good-key" }, model]] of models.entries()) {
      const baseUrl = `${relay.documents.url}/${name}`;
      relay.channelIds.push(await relay.addChannel({ type, other, key, baseUrl, models: model, priority: -at }));
    }
    await relay.inForce();
  });
  afterAll(() => relay.documents.close());
  return {
    relay,
    /** POSTs JSON and returns what came back, with the only log row of the caller. */
    async ask(path: string, body: unknown, headers: Record<string, string> = {}) {
      const { user, token } = await relay.addCaller();
      const response = await fetch(relay.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token.key}`, ...headers },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { user, status: response.status, text, json: JSON.parse(text) as Record<string, unknown> };
    },
    async rowOf(user: number) {
      await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
      return (await relay.logsOf(user))[0];
    },
    sent: () => relay.documents.seen.at(-1),
  };
}
