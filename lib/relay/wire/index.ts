export type { ChatEvent } from "./canonical/event";
export { codeOf, type WireError } from "./canonical/wire-error";
export type { CallerDialect } from "./dialects/dialect";
export { defaultDialect, dialects } from "./dialects";
