import { anthropicKey, readAwsKey, sigV4 } from "../auth";
import type { Behaviours, UrlParts } from "../channel-type";
import { bedrockModelId } from "../fixes/bedrock-models";
import { BEDROCK } from "../fixes/claude-clouds";
import { claude } from "../fixes/claude-fixes";
import { claudeHeaders } from "../fixes/claude-headers";
import { isClaude, withoutThinking } from "../fixes/claude-models";
import { anthropicPrefill } from "../fixes/prefills";
import { fixedPath } from "../urls";

function bedrockUrl({ baseUrl, model, isStream, options }: UrlParts, region = ""): string {
  const id = encodeURIComponent(bedrockModelId(withoutThinking(model, options), region));
  if (isClaude(model)) return `${baseUrl}/model/${id}/${isStream ? "invoke-with-response-stream" : "invoke"}`;
  return `${baseUrl}/model/${id}/${isStream ? "converse-stream" : "converse"}`;
}

/** The region of the key decides on the host and on the model's id. */
function regionalBedrockUrl(parts: UrlParts, key: string): string {
  const { region } = readAwsKey(key);
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return bedrockUrl({ ...parts, baseUrl: parts.baseUrl || `https://bedrock-runtime.${region}.${domain}` }, region);
}

export const anthropicTypes = {
  anthropic: {
    url: fixedPath("/v1/messages"),
    countUrl: fixedPath("/v1/messages/count_tokens"),
    auth: anthropicKey,
    quirks: {
      headers: ["anthropic-version", "2023-06-01"],
      addHeaders: claudeHeaders,
      retriesBadRequest: true,
      fix: claude("anthropic"),
      prefill: anthropicPrefill,
    },
  },
  bedrock: {
    dialect: (model) => (isClaude(model) ? "bedrock-invoke" : "bedrock-converse"),
    url: bedrockUrl,
    keyedUrl: regionalBedrockUrl,
    auth: sigV4,
    checkKey: readAwsKey,
    quirks: { inlineImages: true, fix: claude("bedrock"), claudeCloud: BEDROCK },
    modelList: null,
  },
} satisfies Behaviours;
