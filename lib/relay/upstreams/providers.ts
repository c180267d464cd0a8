import { type AuthScheme, apiKeyHeader, bearer, zhipuToken } from "./auth";
import { clampTopP, mistral, openaiReasoning, type RequestFix, xai, zhipu } from "./request-fixes";

/** What a URL is made of. */
export type UrlParts = {
  baseUrl: string;
  /** The caller's path, for example /v1/chat/completions. */
  path: string;
  /** The caller's query with its question mark, or "". */
  query: string;
  /** The upstream's name for the model. */
  model: string;
  /** The channel's extra field: api version, account id … */
  other: string;
};

/** A channel type that speaks the OpenAI wire format. */
export type Provider = {
  name: string;
  /** "" = the channel must give one. */
  baseUrl: string;
  url: (parts: UrlParts) => string;
  auth: AuthScheme;
  /** Header names and values, alternating, sent with every request. */
  headers?: string[];
  /** Understands stream_options.include_usage; others get the field removed. */
  streamOptions?: true;
  fix?: RequestFix;
  /** Fetches no pictures itself. */
  inlineImages?: true;
  /** Counts reasoning in the total only. */
  completionFromTotal?: true;
};

const samePath = ({ baseUrl, path, query }: UrlParts): string => `${baseUrl}${path}${query}`;
const fixedPath =
  (path: string) =>
  ({ baseUrl }: UrlParts): string =>
    `${baseUrl}${path}`;

/** OpenAI itself; behind Cloudflare's AI gateway the /v1 is dropped. */
function openaiUrl(parts: UrlParts): string {
  const isCloudflare = parts.baseUrl.startsWith("https://gateway.ai.cloudflare.com");
  return samePath(isCloudflare ? { ...parts, path: parts.path.replace(/^\/v1/, "") } : parts);
}

const AZURE_API_VERSION = "2024-12-01-preview";

function azureUrl({ baseUrl, path, query, model, other }: UrlParts): string {
  const version = new URLSearchParams(query).get("api-version") ?? (other.trim() || AZURE_API_VERSION);
  const prefix = baseUrl.startsWith("https://gateway.ai.cloudflare.com") ? "" : "/openai/deployments";
  const deployment = encodeURIComponent(model.replaceAll(".", ""));
  return `${baseUrl}${prefix}/${deployment}${path.replace(/^\/v1/, "")}?api-version=${encodeURIComponent(version)}`;
}

const customUrl = ({ baseUrl, model }: UrlParts): string => baseUrl.replaceAll("{model}", encodeURIComponent(model));

const cloudflareUrl = ({ baseUrl, other, path }: UrlParts): string =>
  `${baseUrl}/client/v4/accounts/${encodeURIComponent(other.trim())}/ai${path}`;

function volcengineUrl({ baseUrl, model, path }: UrlParts): string {
  const tail = path.replace(/^\/v1/, "");
  return model.startsWith("bot") ? `${baseUrl}/api/v3/bots${tail}` : `${baseUrl}/api/v3${tail}`;
}

function row(name: string, baseUrl: string, rest: Partial<Omit<Provider, "name" | "baseUrl">> = {}): Provider {
  return { name, baseUrl, url: samePath, auth: bearer, ...rest };
}

/** Channel types by number (contract §6.1, §6.2). */
export const providers: ReadonlyMap<number, Provider> = new Map<number, Provider>([
  [1, row("OpenAI", "https://api.openai.com", { url: openaiUrl, streamOptions: true, fix: openaiReasoning })],
  [3, row("Azure OpenAI", "", { url: azureUrl, auth: apiKeyHeader, streamOptions: true, fix: openaiReasoning })],
  [4, row("Ollama", "http://localhost:11434", { inlineImages: true })],
  [6, row("OpenAIMax", "https://api.openaimax.com")],
  [7, row("OhMyGPT", "https://api.ohmygpt.com")],
  [8, row("Custom", "", { url: customUrl })],
  [9, row("AILS", "https://api.caipacity.com")],
  [10, row("AI Proxy", "https://api.aiproxy.io")],
  [12, row("API2GPT", "https://api.api2gpt.com")],
  [13, row("AIGC2D", "https://api.aigc2d.com")],
  [
    17,
    row("DashScope", "https://dashscope.aliyuncs.com", {
      url: fixedPath("/compatible-mode/v1/chat/completions"),
      fix: clampTopP(0.001, 0.999),
    }),
  ],
  [19, row("360", "https://api.360.cn")],
  [
    20,
    row("OpenRouter", "https://openrouter.ai/api", {
      headers: ["http-referer", "https://github.com/weir-gateway/weir", "x-title", "Weir"],
    }),
  ],
  [22, row("FastGPT", "https://fastgpt.run/api/openapi")],
  [25, row("Moonshot", "https://api.moonshot.cn")],
  [
    26,
    row("Zhipu GLM-4", "https://open.bigmodel.cn", {
      url: fixedPath("/api/paas/v4/chat/completions"),
      auth: zhipuToken,
      fix: zhipu,
    }),
  ],
  [
    27,
    row("Perplexity", "https://api.perplexity.ai", { url: fixedPath("/chat/completions"), fix: clampTopP(0, 0.99) }),
  ],
  [31, row("01.AI", "https://api.lingyiwanwu.com")],
  [35, row("MiniMax", "https://api.minimax.chat", { url: fixedPath("/v1/text/chatcompletion_v2") })],
  [39, row("Cloudflare", "https://api.cloudflare.com", { url: cloudflareUrl, streamOptions: true })],
  [40, row("SiliconFlow", "https://api.siliconflow.cn")],
  [42, row("Mistral", "https://api.mistral.ai", { fix: mistral })],
  [43, row("DeepSeek", "https://api.deepseek.com")],
  [45, row("VolcEngine Ark", "https://ark.cn-beijing.volces.com", { url: volcengineUrl, streamOptions: true })],
  [46, row("Baidu Qianfan", "https://qianfan.baidubce.com", { url: fixedPath("/v2/chat/completions") })],
  [47, row("Xinference", "")],
  [48, row("xAI", "https://api.x.ai", { streamOptions: true, fix: xai, completionFromTotal: true })],
]);
