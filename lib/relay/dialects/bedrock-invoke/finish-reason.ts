export { readFinishReason } from "../anthropic-messages/finish-reason";
