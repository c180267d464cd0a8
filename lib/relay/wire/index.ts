export type { ChatEvent } from "./canonical/event";
export { codeOf, type WireError } from "./canonical/wire-error";
export { defaultDialect, dialects } from "./dialects";
export type { ClientDialect } from "./dialects/dialect";
