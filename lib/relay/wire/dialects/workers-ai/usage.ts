/** Counted as OpenAI does, cached tokens too. */
export { readUsage } from "../openai-chat/usage";
