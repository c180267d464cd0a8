import { priceUsage } from "@/lib/billing/price";
import { rulesOf } from "@/lib/model-rules/rules-of";
import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { dialects } from "../../wire/dialects";
import type { Operation } from "../operation";
import { jsonTest } from "../operation-test";
import { readChat } from "./chat-intake";

/** Conversations, in every dialect that clients can speak. */
export const chat: Operation = {
  id: "chat",
  endpoints: [...dialects.values()].flatMap(({ client }) =>
    client.paths.map((path) => ({ method: "POST", path, clientDialect: client })),
  ),
  read: readChat,
  charge: priceUsage,
  test: jsonTest(readChat, {
    path: "/v1/chat/completions",
    models: TESTED_MODELS.chat,
    answerKey: "choices",
    json: shortChat,
  }),
};

function shortChat(model: string): object {
  const { limit: limitField = "max_tokens" } = rulesOf(model);
  const isThinking = model.includes("thinking") && !model.includes("claude");
  const limit = isThinking ? 50 : model.includes("gemini") ? 300 : 10;
  return {
    messages: [{ role: "user", content: "hi" }],
    [limitField]: limit,
  };
}
