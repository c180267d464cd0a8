import { klingToken, midjourneySecret, readKlingKey } from "../auth";
import { aigc2dGrants, aiProxyPoints, api2gptGrants, openrouterCredits } from "../balance-readers";
import type { Behaviours } from "../channel-type";
import { effortsAt } from "../fixes/efforts-at";
import { inTurn } from "../fixes/message-fixes";
import { floatsOnly } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { ollamaModels } from "../model-lists";
import { ChannelSetupError } from "../setup-error";
import { fixedPath, samePath, underPrefix } from "../urls";

/** Knowledge bases and agents that choose their models themselves. */
const applications = {
  aiProxyLibrary: {
    url: ({ baseUrl, other }) => `${baseUrl}${needed(other, "/api/library/ask", "the id of its knowledge base")}`,
    modelList: null,
  },
  fastgpt: {},
  dify: {
    url: fixedPath("/v1/chat-messages"),
    // Most of its refusals are about the application's model, quota or settings.
    quirks: { retriesBadRequest: true },
    modelList: null,
  },
  coze: {
    url: ({ baseUrl, other }) => `${baseUrl}${needed(other, "/v3/chat", "the id of its bot")}`,
    // A bot that is not published for this key, or has no quota left, is refused with it.
    quirks: { retriesBadRequest: true },
    modelList: null,
  },
} satisfies Behaviours;

const selfHosted = {
  // Its own format and not OpenAI's: only there can a channel set num_ctx, without which long prompts are cut silently, and
  // keep_alive, and a caller top_k or no thinking.
  ollama: { quirks: { inlineImages: true }, modelList: ollamaModels },
  xinference: { quirks: { fix: thinkingAt("xinference") } },
} satisfies Behaviours;

const resellers = {
  openaiMax: {},
  ohMyGpt: {},
  ails: {},
  aiProxy: { balance: aiProxyPoints },
  api2gpt: { balance: api2gptGrants },
  aigc2d: { balance: aigc2dGrants },
  openrouter: {
    quirks: {
      headers: ["http-referer", "https://github.com/weir-gateway/weir", "x-title", "Weir"],
      fix: inTurn(thinkingAt("openrouter"), effortsAt("openrouter")),
      speaksResponses: {},
    },
    balance: openrouterCredits,
  },
} satisfies Behaviours;

/** Services without conversations: vectors, and tasks that run for minutes, so that a channel test cannot ask for one. */
const withoutChats = {
  jina: { serving: { embeddings: { fix: floatsOnly } } },
  moka: { url: underPrefix(""), serving: { embeddings: { fix: floatsOnly } } },
  midjourney: {
    auth: midjourneySecret,
    // The plain proxy has no modes.
    serving: { drawing: { url: ({ baseUrl, path }) => baseUrl + path.replace(/^\/mj-\w+(?=\/mj\/)/, "") } },
    modelList: null,
  },
  midjourneyPlus: { auth: midjourneySecret, modelList: null },
  suno: { modelList: null },
  kling: { auth: klingToken, checkKey: (key) => void readKlingKey(key), modelList: null },
  arkVideo: { serving: { videos: { url: samePath } }, modelList: null },
  soraVideo: { modelList: null },
} satisfies Behaviours;

export const serviceTypes = { ...applications, ...selfHosted, ...resellers, ...withoutChats };

/** Returns the path. Throws ChannelSetupError where the channel's extra field is empty. */
function needed(other: string, path: string, what: string): string {
  if (other.trim() === "") throw new ChannelSetupError(`the channel needs ${what}`, "get_channel_failed");
  return path;
}
