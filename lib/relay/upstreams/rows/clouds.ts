import { siliconflowBalance } from "../balance-readers";
import type { UrlParts } from "../channel-type";
import { openaiModels } from "../model-lists";
import { withoutVersion } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { dashscopeRow } from "./dashscope";
import { openaiLike } from "./define-row";

const cloudflareUrl = ({ baseUrl, other, path }: UrlParts): string =>
  `${baseUrl}/client/v4/accounts/${encodeURIComponent(other.trim())}/ai${path}`;

/** Models whose names begin with "bot" are applications, which have a separate path. */
const volcengineUrl = ({ baseUrl, model, path }: UrlParts): string =>
  `${baseUrl}/api/v3${model.startsWith("bot") ? "/bots" : ""}${withoutVersion(path)}`;

/** Clouds that serve models of several makers through OpenAI's API. */
export const cloudRows = [
  dashscopeRow,
  openaiLike({
    id: CHANNEL_TYPE.cloudflare,
    name: "Cloudflare",
    hue: "grey",
    position: 110,
    baseUrl: "https://api.cloudflare.com",
    url: cloudflareUrl,
    quirks: { reportsStreamUsage: true },
    modelList: null,
    editor: { other: "account" },
  }),
  openaiLike({
    id: CHANNEL_TYPE.siliconflow,
    name: "SiliconCloud",
    hue: "purple",
    position: 300,
    baseUrl: "https://api.siliconflow.cn",
    balance: siliconflowBalance,
  }),
  openaiLike({
    id: CHANNEL_TYPE.volcengine,
    name: { en: "VolcEngine Ark", zh: "字节火山方舟" },
    hue: "blue",
    position: 360,
    baseUrl: "https://ark.cn-beijing.volces.com",
    url: volcengineUrl,
    quirks: { reportsStreamUsage: true },
    models: /^doubao-/,
    modelList: openaiModels("/api/v3/models"),
    editor: { address: "none" },
  }),
];
