export type { Answer } from "./answer";
export { PassThroughAnswer } from "./pass-through";
export { renderEvents } from "./server-sent-events";
export { TranslateAnswer } from "./translate";
