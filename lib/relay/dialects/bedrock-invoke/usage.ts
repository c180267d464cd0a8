export { readUsage } from "../anthropic-messages/usage";
