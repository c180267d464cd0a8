import { anthropicKey, readAwsKey, sigV4 } from "../auth";
import { bedrockModelId } from "../bedrock-models";
import type { Behaviours, UrlParts } from "../channel-type";
import { BEDROCK } from "../claude-clouds";
import { claude } from "../claude-fixes";
import { claudeHeaders } from "../claude-headers";
import { isClaude, withoutThinking } from "../claude-models";
import { anthropicPrefill } from "../prefills";
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
