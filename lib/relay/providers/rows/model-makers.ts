import { deepseekBalance, moonshotBalance } from "../balance-readers";
import type { Behaviours } from "../channel-type";
import { deepseek, moonshot } from "../fixes/message-fixes";
import { deepseekPrefill, mistralPrefill, moonshotPrefill } from "../fixes/prefills";
import { clampTopP, floatsOnly, mistral, mistralEmbeddings, xai } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { fixedPath, underPrefix } from "../urls";

/** Model makers whose API is OpenAI-compatible. */
export const modelMakerTypes = {
  ai360: { serving: { embeddings: { fix: floatsOnly } } },
  moonshot: { quirks: { fix: moonshot, prefill: moonshotPrefill }, balance: moonshotBalance },
  perplexity: { url: underPrefix(""), quirks: { fix: clampTopP(0, 0.99) } },
  lingyiwanwu: {},
  minimax: { url: fixedPath("/v1/text/chatcompletion_v2"), quirks: { fix: thinkingAt("minimax") } },
  mistral: { serving: { embeddings: { fix: mistralEmbeddings } }, quirks: { fix: mistral, prefill: mistralPrefill } },
  deepseek: {
    serving: { completions: { url: fixedPath("/beta/completions") } },
    quirks: { fix: deepseek, prefill: deepseekPrefill },
    balance: deepseekBalance,
  },
  xai: {
    // Contract §6.2: it takes no sizes, nor qualities or styles.
    serving: { images: { fix: () => ({ size: undefined, quality: undefined, style: undefined }) } },
    quirks: {
      reportsStreamUsage: true,
      fix: xai,
      speaksResponses: { only: (model) => model.includes("-multi-agent") },
    },
  },
} satisfies Behaviours;
