import { anthropicKey, authNotBuilt, readAwsKey } from "../auth";
import type { UrlParts } from "../channel-type";
import { anthropicPrefill } from "../prefills";
import { fixedPath } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

const CLAUDE_MODELS = /^claude-/;

const bedrockUrl = ({ baseUrl, model, isStream }: UrlParts): string =>
  `${baseUrl}/model/${encodeURIComponent(model)}/${isStream ? "invoke-with-response-stream" : "invoke"}`;

export const anthropicRows = [
  defineRow({
    id: CHANNEL_TYPE.anthropic,
    name: "Anthropic Claude",
    hue: "indigo",
    position: 60,
    dialect: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    url: fixedPath("/v1/messages"),
    countUrl: fixedPath("/v1/messages/count_tokens"),
    auth: anthropicKey,
    quirks: { headers: ["anthropic-version", "2023-06-01"], retriesBadRequest: true, prefill: anthropicPrefill },
    models: CLAUDE_MODELS,
  }),
  defineRow({
    id: CHANNEL_TYPE.bedrock,
    name: "AWS Claude",
    hue: "indigo",
    position: 70,
    dialect: "bedrock",
    baseUrl: "",
    url: bedrockUrl,
    auth: authNotBuilt,
    checkKey: readAwsKey,
    models: CLAUDE_MODELS,
    modelList: null,
    editor: {
      address: "none",
      keyParts: ["Ak", "Sk", "Region"],
      otherKeyParts: [
        ["Ak", "Sk", "Region", "SessionToken"],
        ["ApiKey", "Region"],
      ],
    },
  }),
];
