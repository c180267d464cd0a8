// OpenAI's clients send the key alike to all of its endpoints.
export { readKey } from "../openai-chat/key";
