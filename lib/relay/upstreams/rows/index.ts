import { completionFromTotal } from "../../dialects/openai-chat/usage";
import { apiKeyHeader, bearer, zhipuToken } from "../auth";
import type { Quirks, UpstreamRow, UrlParts } from "../channel-type";
import { clampTopP, mistral, openaiReasoning, xai, zhipu } from "../request-fixes";

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

type Deviation = Partial<Pick<UpstreamRow, "url" | "auth">> & Quirks;

/** A service that speaks OpenAI's chat completions. */
function openaiLike(baseUrl: string, { url = samePath, auth = bearer, ...quirks }: Deviation = {}): UpstreamRow {
  return { dialect: "openai-chat", baseUrl, url, auth, framing: "sse", quirks };
}

/** Channel types by number (contract §6.1, §6.2). */
export const rows: ReadonlyMap<number, UpstreamRow> = new Map<number, UpstreamRow>([
  [
    1,
    openaiLike("https://api.openai.com", {
      url: openaiUrl,
      reportsStreamUsage: true,
      fix: openaiReasoning,
      sendsOrganization: true,
    }),
  ],
  [3, openaiLike("", { url: azureUrl, auth: apiKeyHeader, reportsStreamUsage: true, fix: openaiReasoning })],
  [4, openaiLike("http://localhost:11434", { inlineImages: true })],
  [6, openaiLike("https://api.openaimax.com")],
  [7, openaiLike("https://api.ohmygpt.com")],
  [8, openaiLike("", { url: customUrl })],
  [9, openaiLike("https://api.caipacity.com")],
  [10, openaiLike("https://api.aiproxy.io")],
  [12, openaiLike("https://api.api2gpt.com")],
  [13, openaiLike("https://api.aigc2d.com")],
  [
    17,
    openaiLike("https://dashscope.aliyuncs.com", {
      url: fixedPath("/compatible-mode/v1/chat/completions"),
      fix: clampTopP(0.001, 0.999),
    }),
  ],
  [19, openaiLike("https://api.360.cn")],
  [
    20,
    openaiLike("https://openrouter.ai/api", {
      headers: ["http-referer", "https://github.com/weir-gateway/weir", "x-title", "Weir"],
    }),
  ],
  [22, openaiLike("https://fastgpt.run/api/openapi")],
  [25, openaiLike("https://api.moonshot.cn")],
  [
    26,
    openaiLike("https://open.bigmodel.cn", {
      url: fixedPath("/api/paas/v4/chat/completions"),
      auth: zhipuToken,
      fix: zhipu,
    }),
  ],
  [27, openaiLike("https://api.perplexity.ai", { url: fixedPath("/chat/completions"), fix: clampTopP(0, 0.99) })],
  [31, openaiLike("https://api.lingyiwanwu.com")],
  [35, openaiLike("https://api.minimax.chat", { url: fixedPath("/v1/text/chatcompletion_v2") })],
  [39, openaiLike("https://api.cloudflare.com", { url: cloudflareUrl, reportsStreamUsage: true })],
  [40, openaiLike("https://api.siliconflow.cn")],
  [42, openaiLike("https://api.mistral.ai", { fix: mistral })],
  [43, openaiLike("https://api.deepseek.com")],
  [45, openaiLike("https://ark.cn-beijing.volces.com", { url: volcengineUrl, reportsStreamUsage: true })],
  [46, openaiLike("https://qianfan.baidubce.com", { url: fixedPath("/v2/chat/completions") })],
  [47, openaiLike("")],
  [48, openaiLike("https://api.x.ai", { reportsStreamUsage: true, fix: xai, correctUsage: completionFromTotal })],
]);
